/** Loaded together, so that their shared parts are not in the scripts of other pages. */
export { NewOrganizationPage } from './new-organization.page';
export { OrganizationAuditPage } from './audit.page';
export { OrganizationMembersPage } from './members.page';
export { OrganizationProjectsPage } from './projects.page';
export { OrganizationSettingsPage } from './settings.page';
