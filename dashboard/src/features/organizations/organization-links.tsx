import { Group } from '@mantine/core';
import Plus from 'lucide-react/icons/plus';
import Users from 'lucide-react/icons/users';
import { AnchorLink } from '../../shared/anchor-link';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { useOrganizations } from './organization-list';
import './organizations.css';

/** The person's organizations, and the way to a new one. */
export function OrganizationLinks() {
  return (
    <Group
      component="nav"
      aria-label={t('shell.organizations')}
      gap="4px 16px"
      className="organization-links"
    >
      {useOrganizations().map(({ id, name }) => (
        <AnchorLink key={id} to="/organizations/$organizationId" params={{ organizationId: id }}>
          <Users className="icon" aria-hidden />
          <VisibleText text={name} />
        </AnchorLink>
      ))}
      <AnchorLink to="/new-organization">
        <Plus className="icon" aria-hidden />
        {t('shell.newOrganization')}
      </AnchorLink>
    </Group>
  );
}
