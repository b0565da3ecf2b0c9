import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { ProjectStatusResponse } from '../../client/types.gen';
import { ButtonLink } from '../../shared/button-link';
import { DataTable } from '../../shared/data-table';
import { EmptyState } from '../../shared/empty-state';
import { ListCard } from '../../shared/list-card';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { SearchField } from '../../shared/search-field';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useZone } from '../../shared/zone';
import { loadPageMessages, t } from '../../i18n/i18n';
import { AttentionNotice, WithheldNotice } from './attention-notice';
import { projectColumns, projectPhoneColumns } from './columns';
import { selectProjects } from './project-health';
import { type ProjectChanges, ProjectFilterChips } from './project-filter-chips';
import type { ProjectsSearch } from './projects-search';
import './projects.css';
import { useStatuses } from './queries';

const route = getRouteApi('/signed-in/projects');
// Both show changes of banners in the words of that page.
const CopyBannerDialog = lazy(async () => {
  await loadPageMessages('banner');
  return { default: (await import('./dialogs')).CopyBannerDialog };
});
const PublishDraftsDialog = lazy(async () => {
  await loadPageMessages('banner');
  return { default: (await import('./dialogs')).PublishDraftsDialog };
});

const SKELETON_ROWS = 10;

/** Every project of the person, the ones that need attention first. */
export function ProjectsPage() {
  const { now } = useZone();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [copies, copyDialog] = useDisclosure(false);
  const [publishes, publishDialog] = useDisclosure(false);
  const { query, projects, withheld, isLoading } = useStatuses();
  const drafts = selectProjects(projects, { sort: 'name', banner: 'draft' }, now).filter(
    ({ role }) => role !== 'viewer',
  );
  const change = (changes: ProjectChanges) =>
    void navigate({ search: { ...search, ...changes } as ProjectsSearch, replace: true });
  const { q, attention, plan, banner } = search;
  return (
    <Page
      title={t('projects.title')}
      count={query.data && projects.length}
      actions={
        <>
          {drafts.length > 0 && (
            <Button variant="default" onClick={publishDialog.open}>
              {t('projects.publishDrafts', { count: drafts.length })}
            </Button>
          )}
          <Button variant="default" onClick={copyDialog.open} disabled={projects.length < 2}>
            {t('projects.copyBanner')}
          </Button>
          <Button component={Link} to="/new-project">
            {t('shell.newProject')}
          </Button>
        </>
      }
    >
      <WithheldNotice projects={withheld} />
      <AttentionNotice projects={projects} search={search} now={now} />
      <ListCard
        search={
          <SearchField
            aria-label={t('projects.search')}
            placeholder={t('projects.search')}
            value={q ?? ''}
            onChange={(event) => change({ q: event.currentTarget.value || undefined })}
          />
        }
        filters={<ProjectFilterChips search={search} change={change} />}
        active={[q, attention, plan, banner].filter(Boolean).length}
        onClear={() => change({ q: undefined, attention: undefined, plan: undefined, banner: undefined })}
      >
        <ProblemAlert error={query.error} retry={() => void query.refetch()} />
        {query.data && (
          <ProjectTable
            projects={selectProjects(projects, search, now)}
            isFiltered={projects.length > 0}
            now={now}
          />
        )}
        {isLoading && (
          <div className="list-end">
            <SkeletonRows rows={SKELETON_ROWS} />
          </div>
        )}
      </ListCard>
      {publishes && (
        <Suspense>
          <PublishDraftsDialog drafts={drafts} onClose={publishDialog.close} />
        </Suspense>
      )}
      {copies && (
        <Suspense>
          <CopyBannerDialog projects={projects} onClose={copyDialog.close} />
        </Suspense>
      )}
    </Page>
  );
}

function ProjectTable(props: { projects: ProjectStatusResponse[]; isFiltered: boolean; now: Date }) {
  const { projects, isFiltered, now } = props;
  if (projects.length === 0)
    return isFiltered ? (
      <div className="list-end">{t('projects.noneMatch')}</div>
    ) : (
      <EmptyState
        title={t('projects.none')}
        text={t('projects.noneText')}
        action={<ButtonLink to="/new-project">{t('shell.newProject')}</ButtonLink>}
      />
    );
  return (
    <div className="projects-list">
      <DataTable
        label={t('projects.title')}
        items={projects}
        rowKey={({ id }) => id}
        columns={projectColumns(now)}
        phoneColumns={projectPhoneColumns()}
      />
    </div>
  );
}
