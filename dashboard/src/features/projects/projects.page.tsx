import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import type { ProjectStatusResponse } from '../../client/types.gen';
import { DataTable } from '../../shared/data-table';
import { ListCard } from '../../shared/list-card';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { SearchField } from '../../shared/search-field';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { AttentionNotice, WithheldNotice } from './attention-notice';
import { projectColumns, projectPhoneColumns } from './columns';
import { selectProjects } from './project-health';
import { type ProjectChanges, ProjectFilterChips } from './project-filter-chips';
import type { ProjectsSearch } from './projects-search';
import './projects.css';
import { statusPages } from './queries';

const route = getRouteApi('/signed-in/projects');
const CopyBannerDialog = lazy(() => import('./copy-banner-dialog'));

const LIVE_MS = 30_000;
const SKELETON_ROWS = 10;

/** Every project of the person, the ones that need attention first. */
export function ProjectsPage() {
  const { zone, now } = useZone();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [copies, copyDialog] = useDisclosure(false);
  const query = useInfiniteQuery({ ...statusPages(zone), refetchInterval: LIVE_MS });
  const { hasNextPage, isFetching, isError, fetchNextPage } = query;
  // Search and order are over all projects, so all pages are loaded, one after the other.
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const projects = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const change = (changes: ProjectChanges) =>
    void navigate({ search: { ...search, ...changes } as ProjectsSearch, replace: true });
  const { q, attention, plan, banner } = search;
  return (
    <Page
      title={t('projects.title')}
      count={query.data && projects.length}
      actions={
        <>
          <Button variant="default" onClick={copyDialog.open} disabled={projects.length < 2}>
            {t('projects.copyBanner')}
          </Button>
          <Button component={Link} to="/new-project">
            {t('shell.newProject')}
          </Button>
        </>
      }
    >
      <WithheldNotice projects={query.data?.pages.flatMap(({ withheld }) => withheld) ?? []} />
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
        {!isError && (query.isPending || hasNextPage) && (
          <div className="list-end">
            <SkeletonRows rows={SKELETON_ROWS} />
          </div>
        )}
      </ListCard>
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
    return <div className="list-end">{isFiltered ? t('projects.noneMatch') : t('projects.none')}</div>;
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
