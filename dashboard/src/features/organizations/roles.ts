import type { OrganizationRolesBody } from '../../client/types.gen';
import { type Role, roleCovers } from '../../shared/access';
import { t } from '../../i18n/i18n';

/** The roles of a person in an organization. Only the role `member` has a role on all projects beside it. */
export interface Roles {
  role: OrganizationRolesBody['role'];
  /** null: no access to the projects by the organization. */
  projectRole: Role | null;
}

export const ROLE_OPTIONS = (['admin', 'billing', 'member'] as const).map((value) => ({
  value,
  label: t(`roles.${value}`),
}));

export const PROJECT_ROLE_OPTIONS = [
  { value: '', label: t('organizations.none') },
  ...(['viewer', 'editor', 'owner'] as const).map((value) => ({ value, label: t(`roles.${value}`) })),
];

/** The roles after a change of one of them. */
export function rolesWith(roles: Roles, change: Partial<Roles>): Roles {
  const changed = { ...roles, ...change };
  return changed.role === 'member' ? changed : { ...changed, projectRole: null };
}

/** Whether somebody loses permissions. */
export function isLower(next: Roles, current: Roles): boolean {
  if (next.role === 'admin') return false;
  if (current.role !== 'member') return current.role !== next.role;
  if (current.projectRole === null) return false;
  return next.projectRole === null || !roleCovers(next.projectRole, current.projectRole);
}
