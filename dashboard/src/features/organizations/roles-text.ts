import type { OrganizationRolesBody } from '../../client/types.gen';
import type { Role } from '../../shared/access';
import { t } from '../../i18n/i18n';

/** A role in an organization with the role on its projects, or the role of a person in a project. */
export function rolesText(roles: {
  role: OrganizationRolesBody['role'] | Role;
  projectRole?: Role | null | undefined;
}): string {
  const { role, projectRole } = roles;
  return projectRole ? t('organizations.memberOf', { role: t(`roles.${projectRole}`) }) : t(`roles.${role}`);
}
