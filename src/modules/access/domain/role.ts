/** Roles on a project, weakest first: a role may do all that the ones before it may. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Whether `held` may do what `needed` may. */
export function roleCovers(held: Role, needed: Role): boolean {
  return ROLES.indexOf(held) >= ROLES.indexOf(needed);
}

/** The role after accepting `offered`: a member never loses a role by accepting; null: not a member yet. */
export function roleAfterAccepting(held: Role | null, offered: Role): Role {
  return held !== null && roleCovers(held, offered) ? held : offered;
}
