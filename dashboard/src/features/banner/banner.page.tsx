import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { configurationReadOptions, draftReadOptions } from '../../client/@tanstack/react-query.gen';
import { lazy, Suspense } from 'react';
import type { ProjectDto } from '../../client/types.gen';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import { BannerEditor } from './editor';

const route = getRouteApi('/signed-in/projects/$projectId/banner');

const History = lazy(async () => ({ default: (await import('./history')).History }));

/** How often the page checks whether the saved version is published, or another person has published. */
const PUBLISHING_MS = 1_000;
const OTHERS_MS = 15_000;

export function BannerPage() {
  const project = useProject();
  const { view } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Page title={t('pages.banner')}>
      <Tabs
        value={view ?? 'edit'}
        // Not by React's Activity: what is hidden must still ask before it is lost.
        keepMountedMode="display-none"
        onChange={(next) =>
          void navigate({
            search: ({ part, language }) => ({
              ...(part && { part }),
              ...(language && { language }),
              ...(next === 'history' && { view: 'history' as const }),
            }),
          })
        }
      >
        <Tabs.List>
          <Tabs.Tab value="edit">{t('banner.edit')}</Tabs.Tab>
          <Tabs.Tab value="history">{t('banner.history')}</Tabs.Tab>
        </Tabs.List>
        {/* Both stay, so that a look at the history loses nothing that was typed. */}
        <Tabs.Panel value="edit" pt="md">
          <Loaded key={project.id} project={project} />
        </Tabs.Panel>
        <Tabs.Panel value="history" pt="md">
          {view === 'history' && (
            <Suspense fallback={<SkeletonRows rows={8} />}>
              <History project={project} />
            </Suspense>
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Loaded({ project }: { project: ProjectDto }) {
  const path = { projectId: project.id };
  const configuration = useQuery({
    ...configurationReadOptions({ path }),
    refetchInterval: ({ state: { data } }) =>
      data && data.version > 0 && data.lastPublication?.configurationVersion !== data.version
        ? PUBLISHING_MS
        : OTHERS_MS,
  });
  const draft = useQuery(draftReadOptions({ path }));
  const failed = [configuration, draft].find(({ isError, data }) => isError && !data);
  if (failed) return <ProblemAlert error={failed.error} retry={() => void failed.refetch()} />;
  if (!configuration.data || !draft.data) return <SkeletonRows rows={12} />;
  return <BannerEditor project={project} configuration={configuration.data} draft={draft.data} />;
}
