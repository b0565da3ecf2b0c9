import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import {
  organizationAuditListInfiniteOptions,
  organizationMemberListOptions,
} from '../../client/@tanstack/react-query.gen';
import { organizationAuditList } from '../../client/sdk.gen';
import type { OrganizationResponse } from '../../client/types.gen';
import { Page } from '../../shared/page';
import { PROJECT_LIST } from '../../shared/project-list';
import { Section } from '../../shared/section';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import type { ActorNames } from '../audit/actor-names';
import { AUDIT_ROWS, AuditLog, auditQuery } from '../audit/audit-log';
import { ORGANIZATION_ACTIONS } from '../audit/log-actions';
import { AdminFieldset } from './admin-fieldset';
import { useOrganizations } from './organization-list';
import { useOrganization } from './use-organization';

const route = getRouteApi('/signed-in/organizations/$organizationId/audit');

export function OrganizationAuditPage() {
  const organization = useOrganization();
  if (organization.role === 'admin') return <OrganizationAuditLog organization={organization} />;
  return (
    <Page title={t('pages.audit')}>
      <Section title={t('audit.list')} text={t('organizations.auditText')}>
        <AdminFieldset organization={organization} />
      </Section>
    </Page>
  );
}

function OrganizationAuditLog({ organization: { id } }: { organization: OrganizationResponse }) {
  const path = { organizationId: id };
  const filters = route.useSearch();
  const { zone } = useZone();
  const query = useInfiniteQuery({
    ...organizationAuditListInfiniteOptions({
      path,
      query: { ...auditQuery(filters, zone), limit: AUDIT_ROWS },
    }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <AuditLog
      subtitle={t('organizations.auditText')}
      filters={filters}
      actions={ORGANIZATION_ACTIONS}
      names={useOrganizationNames(id)}
      query={query}
      readChanges={async (moment) =>
        (await organizationAuditList({ path, query: { ...moment, limit: AUDIT_ROWS } })).data.items
      }
      exportPath={`/v1/organizations/${id}/audit/export`}
    />
  );
}

/** One page of members; people beyond it are shown by id. */
const NAMES_MAX = 200;

/** The organization's members, the person's projects, and their organizations. */
function useOrganizationNames(organizationId: string): ActorNames {
  const options = { path: { organizationId }, query: { limit: NAMES_MAX } };
  const memberList = useQuery(organizationMemberListOptions(options)).data?.items ?? [];
  const projects = useQuery(PROJECT_LIST).data?.items ?? [];
  const members = memberList.map(({ userId, email }) => ({ id: userId, name: email }));
  const named = [...members, ...projects, ...useOrganizations()];
  return {
    members,
    keys: [],
    of: new Map(named.map(({ id, name }) => [id, name])),
    subject: t('organizations.organization'),
  };
}
