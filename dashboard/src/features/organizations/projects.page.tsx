import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { organizationListProjectsInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import type { OrganizationProjectResponse, OrganizationResponse } from '../../client/types.gen';
import { ButtonLink } from '../../shared/button-link';
import { EmptyState } from '../../shared/empty-state';
import { type Column, InfiniteTable } from '../../shared/infinite-table';
import { Page } from '../../shared/page';
import { PROJECT_LIST } from '../../shared/project-list';
import { DateOf } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { WithheldNotice } from '../projects/attention-notice';
import { ProjectList } from '../projects/project-list';
import { useStatuses } from '../projects/queries';
import { useOrganization } from './use-organization';

const route = getRouteApi('/signed-in/organizations/$organizationId/');

export function OrganizationProjectsPage() {
  const organization = useOrganization();
  const statuses = useStatuses();
  const search = route.useSearch();
  const list = useQuery(PROJECT_LIST).data?.items;
  const ids = new Set(
    list?.filter(({ organizationId }) => organizationId === organization.id).map(({ id }) => id),
  );
  const projects = statuses.projects.filter(({ id }) => ids.has(id));
  const isLoading = statuses.isLoading || list === undefined;
  // Billing sees all projects, and records of none.
  if (organization.role === 'billing') return <BillingProjects organization={organization} />;
  const isEmpty = !isLoading && projects.length === 0 && !statuses.query.isError;
  return (
    <Page
      title={t('shell.projects')}
      subtitle={
        isLoading ? (
          <VisibleText text={organization.name} />
        ) : (
          t('organizations.projectsOf', { count: projects.length, name: organization.name })
        )
      }
      actions={!isEmpty && <NewProject organization={organization} />}
    >
      <WithheldNotice projects={statuses.withheld} />
      {isEmpty ? (
        <div className="card">
          <NoProjects organization={organization} />
        </div>
      ) : (
        <ProjectList
          label={t('organizations.projects')}
          projects={projects}
          search={search}
          statuses={{ ...statuses, isLoading }}
          empty={null}
        />
      )}
    </Page>
  );
}

function NewProject({ organization: { id, role } }: { organization: OrganizationResponse }) {
  if (role !== 'admin') return null;
  return (
    <ButtonLink variant="filled" to="/new-project" search={{ organization: id }}>
      {t('shell.newProject')}
    </ButtonLink>
  );
}

function NoProjects({ organization }: { organization: OrganizationResponse }) {
  if (organization.role === 'admin')
    return (
      <EmptyState
        title={t('organizations.noProjects')}
        text={t('organizations.noProjectsText')}
        action={<NewProject organization={organization} />}
      />
    );
  return organization.projectRole === null ? (
    <EmptyState title={t('organizations.noAccess')} text={t('organizations.noAccessText')} />
  ) : (
    <EmptyState title={t('organizations.noProjects')} text={t('organizations.noProjectsMember')} />
  );
}

const COLUMNS: Column<OrganizationProjectResponse>[] = [
  { title: t('projects.project'), flexible: true, cell: ({ name }) => <TruncatedText text={name} /> },
  {
    title: t('newProject.domains'),
    cell: ({ domains }) => <TruncatedText text={domains.join(', ') || '–'} />,
  },
  {
    title: t('projects.plan'),
    cell: ({ tier }) => <span className="pill">{t(`projects.tiers.${tier}`)}</span>,
  },
  { title: t('project.created'), cell: ({ createdAt }) => <DateOf at={createdAt} /> },
];

const PHONE_COLUMNS: Column<OrganizationProjectResponse>[] = [
  {
    title: t('projects.project'),
    flexible: true,
    cell: ({ name, domains }) => (
      <>
        <TruncatedText text={name} />
        <small>{domains[0]}</small>
      </>
    ),
  },
  {
    title: t('projects.plan'),
    numeric: true,
    cell: ({ tier }) => <span className="pill">{t(`projects.tiers.${tier}`)}</span>,
  },
];

function BillingProjects({ organization }: { organization: OrganizationResponse }) {
  const path = { organizationId: organization.id };
  const query = useInfiniteQuery({
    ...organizationListProjectsInfiniteOptions({ path, query: { limit: 100 } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  return (
    <Page title={t('shell.projects')} subtitle={t('organizations.billingText')}>
      <InfiniteTable
        label={t('organizations.projects')}
        query={query}
        columns={COLUMNS}
        phoneColumns={PHONE_COLUMNS}
        rowKey={({ id }) => id}
        empty={t('organizations.noProjects')}
      />
    </Page>
  );
}
