/** Roles on a project, weakest first: each includes the permissions of the ones before it. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `held` includes the permissions of `needed`. */
export function roleCovers(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed);
}

/** The role after accepting `offered`: a member never loses a role by accepting; null: not a member yet. */
export function roleAfterAccepting(held: Role | null, offered: Role): Role {
  return held !== null && roleCovers(held, offered) ? held : offered;
}
