import { Button, Drawer, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../api/problem';
import {
  configurationReadOptions,
  publicationChangesOptions,
  publicationInForceOptions,
} from '../../client/@tanstack/react-query.gen';
import { configurationRollBack } from '../../client/sdk.gen';
import type { ProjectDto, PublicationDto } from '../../client/types.gen';
import { Allowed, refusalOf } from '../../shared/allowed';
import { SkeletonRows } from '../../shared/endless-list';
import { ProblemAlert } from '../../shared/problem-alert';
import { useAct } from '../../shared/use-act';
import { Instant } from '../../shared/when';
import { t } from '../../i18n/i18n';
import { authorName } from './author-name';
import { ChangesList } from './changes-list';
import { PublishBox } from './publish-box';
import { ShownDocument } from './shown-document';

/** What was in force at an instant: who published it, what it changed, how it looked, and the way back to it. */
export function PublicationDrawer({
  project,
  at,
  onClose,
}: {
  project: ProjectDto;
  at: string | undefined;
  onClose: () => void;
}) {
  return (
    <Drawer
      opened={at !== undefined}
      onClose={onClose}
      position="right"
      size="xl"
      title={t('banner.publication')}
      closeButtonProps={{ 'aria-label': t('shared.close') }}
    >
      {at !== undefined && <AtInstant key={at} project={project} at={at} />}
    </Drawer>
  );
}

function AtInstant({ project, at }: { project: ProjectDto; at: string }) {
  const path = { projectId: project.id };
  const query = useQuery(publicationInForceOptions({ path, query: { at } }));
  if (query.error instanceof ApiProblem && query.error.status === 404)
    return (
      <Text role="status">
        {t('banner.noneAt')} <Instant at={at} />
      </Text>
    );
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={8} />;
  return <Details project={project} publication={query.data} />;
}

function Details({ project, publication }: { project: ProjectDto; publication: PublicationDto }) {
  const path = { projectId: project.id, version: String(publication.version) };
  const changes = useQuery(publicationChangesOptions({ path }));
  return (
    <Stack gap="md">
      <dl className="facts">
        <dt>{t('banner.liveFrom')}</dt>
        <dd>
          <Instant at={publication.inForceFrom} />
        </dd>
        <dt>{t('banner.publishedBy')}</dt>
        <dd>{authorName(publication)}</dd>
        <dt>{t('banner.comment')}</dt>
        <dd>{publication.comment ?? '–'}</dd>
        <dt>{t('banner.plan')}</dt>
        <dd>{publication.tier}</dd>
      </dl>
      <section aria-label={t('banner.changes')}>
        <Title order={3}>{t('banner.changesSinceBefore')}</Title>
        <ProblemAlert error={changes.error} retry={() => void changes.refetch()} />
        {changes.data && <ChangesList changes={changes.data.items} none={t('banner.onlyPlanChanged')} />}
      </section>
      <ShownDocument projectId={project.id} configHash={publication.configHash} />
      <Allowed refusal={refusalOf(project, { role: 'editor' })} projectId={project.id}>
        <GoBack project={project} publication={publication} />
      </Allowed>
    </Stack>
  );
}

/** Makes this configuration the newest one, after a look at what that changes. */
function GoBack({ project, publication }: { project: ProjectDto; publication: PublicationDto }) {
  const path = { projectId: project.id };
  const [opened, box] = useDisclosure(false);
  const configuration = useQuery(configurationReadOptions({ path }));
  const newest = configuration.data?.lastPublication?.version;
  const version = String(publication.version);
  const back = useQuery({
    ...publicationChangesOptions({
      path: { ...path, version },
      query: { since: String(newest) },
    }),
    enabled: opened && newest !== undefined,
  });
  const act = useAct({
    run: async (comment: string) =>
      (
        await configurationRollBack({
          path: { ...path, version },
          body: comment === '' ? {} : { comment },
          headers: { 'If-Match': `"${configuration.data?.version ?? 0}"` },
        })
      ).data,
    done: t('banner.rollingBack'),
    refreshes: ['configurationRead', 'publicationList', 'publicationInForce'],
    then: box.close,
  });
  return (
    <>
      <Button variant="default" disabled={newest === publication.version} onClick={box.open}>
        {t('banner.rollBack')}
      </Button>
      {opened && (
        <PublishBox
          title={t('banner.rollBack')}
          act={t('banner.rollBackNow')}
          changes={{ items: back.data?.items, error: back.error, retry: () => void back.refetch() }}
          pending={act.pending}
          error={act.error}
          onClose={box.close}
          onPublish={act.run}
        />
      )}
    </>
  );
}
