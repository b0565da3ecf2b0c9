import type { ReactNode } from 'react';
import { useNavigate } from '@tanstack/react-router';
import type { ProjectStatusResponse } from '../../client/types.gen';
import { DataTable } from '../../shared/data-table';
import { ListCard } from '../../shared/list-card';
import { ProblemAlert } from '../../shared/problem-alert';
import { SearchField } from '../../shared/search-field';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { AttentionNotice } from './attention-notice';
import { projectColumns, projectPhoneColumns } from './columns';
import { selectProjects } from './project-health';
import { type ProjectChanges, ProjectFilterChips } from './project-filter-chips';
import type { ProjectsSearch } from './projects-search';
import './projects.css';
import type { useStatuses } from './queries';

const SKELETON_ROWS = 10;

/** Projects with their status, the ones that need attention first; the address holds the filters. */
export function ProjectList(props: {
  label: string;
  projects: readonly ProjectStatusResponse[];
  search: ProjectsSearch;
  statuses: Pick<ReturnType<typeof useStatuses>, 'query' | 'isLoading'>;
  /** Shown without projects. */
  empty: ReactNode;
}) {
  const { projects, search } = props;
  const { query, isLoading } = props.statuses;
  const { now } = useZone();
  const navigate = useNavigate();
  const change = (changes: ProjectChanges) =>
    void navigate({ to: '.', search: { ...search, ...changes } as ProjectsSearch, replace: true });
  const { q, attention, plan, banner } = search;
  const selected = selectProjects(projects, search, now);
  return (
    <>
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
        {query.data && selected.length > 0 && (
          <div className="projects-list">
            <DataTable
              label={props.label}
              items={selected}
              rowKey={({ id }) => id}
              columns={projectColumns(now)}
              phoneColumns={projectPhoneColumns()}
            />
          </div>
        )}
        {query.data &&
          selected.length === 0 &&
          (projects.length > 0 ? <div className="list-end">{t('projects.noneMatch')}</div> : props.empty)}
        {isLoading && (
          <div className="list-end">
            <SkeletonRows rows={SKELETON_ROWS} />
          </div>
        )}
      </ListCard>
    </>
  );
}
