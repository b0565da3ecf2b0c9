import { useQuery } from '@tanstack/react-query';
import { configurationReadOptions, draftReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { Page } from '../../shared/page';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { useProject } from '../../shared/use-project';
import './banner.css';
import { BannerEditor } from './editor';

/** How often the page checks whether the saved version is published, or another person has published. */
const PUBLISHING_MS = 1_000;
const OTHERS_MS = 15_000;

export function BannerPage() {
  const project = useProject();
  return <Loaded key={project.id} project={project} />;
}

function Loaded({ project }: { project: ProjectResponse }) {
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
  if (!failed && configuration.data && draft.data)
    return <BannerEditor project={project} configuration={configuration.data} draft={draft.data} />;
  return (
    <Page title={t('pages.banner')}>
      {failed ? (
        <ProblemAlert error={failed.error} retry={() => void failed.refetch()} />
      ) : (
        <SkeletonRows rows={12} />
      )}
    </Page>
  );
}
