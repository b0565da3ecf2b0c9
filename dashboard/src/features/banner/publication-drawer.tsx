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
import type { ProjectResponse, PublicationResponse } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t, translateCode } from '../../i18n/i18n';
import { authorName } from './author-name';
import { ChangesList } from './changes-list';
import { PublishDialog } from './publish-dialog';
import { ShownBanner } from './shown-banner';

/**
 * The publication in effect at a time: its author, changes and preview, with a button to restore
 * it.
 */
export function PublicationDrawer({
  project,
  at,
  onClose,
}: {
  project: ProjectResponse;
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
      {at !== undefined && <PublicationAt key={at} project={project} at={at} />}
    </Drawer>
  );
}

function PublicationAt({ project, at }: { project: ProjectResponse; at: string }) {
  const path = { projectId: project.id };
  const query = useQuery(publicationInForceOptions({ path, query: { at } }));
  if (query.error instanceof ApiProblem && query.error.status === 404)
    return (
      <Text role="status">
        {t('banner.noneAt')} <AbsoluteTime at={at} />
      </Text>
    );
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={8} />;
  return <Details project={project} publication={query.data} />;
}

function Details({ project, publication }: { project: ProjectResponse; publication: PublicationResponse }) {
  const path = { projectId: project.id, version: String(publication.version) };
  const changes = useQuery(publicationChangesOptions({ path }));
  return (
    <Stack gap="md">
      <dl className="facts">
        <dt>{t('banner.liveFrom')}</dt>
        <dd>
          <AbsoluteTime at={publication.inForceFrom} />
        </dd>
        <dt>{t('banner.publishedBy')}</dt>
        <dd>{authorName(publication)}</dd>
        <dt>{t('banner.comment')}</dt>
        <dd>{publication.comment ?? t('banner.noComment')}</dd>
        <dt>{t('banner.plan')}</dt>
        <dd>{translateCode('projects.tiers', publication.tier) ?? publication.tier}</dd>
      </dl>
      <section aria-label={t('banner.changes')}>
        <Title order={3}>{t('banner.changesSinceBefore')}</Title>
        <ProblemAlert error={changes.error} retry={() => void changes.refetch()} />
        {changes.data && <ChangesList changes={changes.data.items} none={t('banner.onlyPlanChanged')} />}
      </section>
      <ShownBanner projectId={project.id} configHash={publication.configHash} />
      <AccessFieldset refusal={checkAccess(project, { role: 'editor' })} projectId={project.id}>
        <RollBack project={project} publication={publication} />
      </AccessFieldset>
    </Stack>
  );
}

/** Makes this configuration the newest one, after a look at what that changes. */
function RollBack({ project, publication }: { project: ProjectResponse; publication: PublicationResponse }) {
  const path = { projectId: project.id };
  const [opened, dialog] = useDisclosure(false);
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
  const mutation = useApiMutation({
    request: async (comment: string) =>
      (
        await configurationRollBack({
          path: { ...path, version },
          body: comment === '' ? {} : { comment },
          headers: { 'If-Match': `"${configuration.data?.version ?? 0}"` },
        })
      ).data,
    successMessage: t('banner.rollingBack'),
    invalidates: [
      ...(['configurationRead', 'configurationContentSecurityPolicy'] as const),
      ...(['publicationList', 'publicationInForce'] as const),
    ],
    onSuccess: dialog.close,
  });
  return (
    <>
      <Button variant="default" disabled={newest === publication.version} onClick={dialog.open}>
        {t('banner.rollBack')}
      </Button>
      {opened && (
        <PublishDialog
          title={t('banner.rollBack')}
          confirmLabel={t('banner.rollBackNow')}
          changes={{ items: back.data?.items, error: back.error, retry: () => void back.refetch() }}
          pending={mutation.isPending}
          error={mutation.error}
          onClose={dialog.close}
          onPublish={(comment) => mutation.mutate(comment)}
        />
      )}
    </>
  );
}
