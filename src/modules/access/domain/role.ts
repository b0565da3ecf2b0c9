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

/** A person's permissions on a project, by membership and by its organization. */
export interface ProjectStanding {
  /** The higher role of both; null: only `managesBilling`. */
  role: Role | null;
  /** Whether they may see and change plans and invoices without a role. */
  managesBilling: boolean;
  /** Whether the project requires a second factor. */
  needsSecondFactor: boolean;
}

/** A project of a person. */
export interface ProjectPlace {
  projectId: string;
  role: Role;
  needsSecondFactor: boolean;
}
