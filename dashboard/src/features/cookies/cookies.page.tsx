import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { cookieListInfiniteOptions } from '../../client/@tanstack/react-query.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { ButtonLink } from '../../shared/button-link';
import { EmptyState } from '../../shared/empty-state';
import { InfiniteTable } from '../../shared/infinite-table';
import { Page } from '../../shared/page';
import { Segments } from '../../shared/segments';
import { useProject } from '../../shared/use-project';
import { t } from '../../i18n/i18n';
import { cookieColumns, phoneColumns } from './columns';
import { COOKIE_VIEWS, type CookieView } from './search';

const route = getRouteApi('/signed-in/projects/$projectId/cookies');

const PAGE_ROWS = 100;

/** What scans saw on the site, unknown things first, and the owner's decisions on it. */
export function CookiesPage() {
  const project = useProject();
  const path = { projectId: project.id };
  const { view = 'all' } = route.useSearch();
  const navigate = route.useNavigate();
  const refusal = checkAccess(project, { role: 'editor' });
  const filter = view === 'unclassified' ? { category: 'unclassified' as const } : {};
  const query = useInfiniteQuery({
    ...cookieListInfiniteOptions({ path, query: { limit: PAGE_ROWS, ...filter } }),
    initialPageParam: { path },
    getNextPageParam: (page) => page.nextCursor ?? undefined,
  });
  const disabled = refusal !== null;
  const columns = useMemo(() => cookieColumns({ projectId: project.id, disabled }), [project.id, disabled]);
  const narrow = useMemo(() => phoneColumns({ projectId: project.id, disabled }), [project.id, disabled]);
  return (
    <Page title={t('pages.cookies')}>
      <Text c="dimmed">{t('cookies.text')}</Text>
      <AccessNote refusal={refusal} projectId={project.id} what={t('cookies.category')} />
      <Segments<CookieView>
        label={t('cookies.show')}
        options={COOKIE_VIEWS}
        labelOf={(value) => t(`cookies.views.${value}`)}
        value={view}
        onChange={(value) => void navigate({ search: { view: value }, replace: true })}
      />
      <InfiniteTable
        key={view}
        label={t('pages.cookies')}
        query={query}
        columns={columns}
        phoneColumns={narrow}
        rowKey={({ id }) => id}
        empty={
          view === 'all' ? (
            <EmptyState
              title={t('cookies.none')}
              text={t('cookies.noneText')}
              action={
                <ButtonLink to="/projects/$projectId/scans" params={path}>
                  {t('cookies.toScans')}
                </ButtonLink>
              }
            />
          ) : (
            <EmptyState title={t('cookies.allClassified')} />
          )
        }
      />
    </Page>
  );
}
