import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { privacyOneOptions } from '../../client/@tanstack/react-query.gen';
import { privacyErase } from '../../client/sdk.gen';
import type { ErasureDto, ProjectDto } from '../../client/types.gen';
import { Allowed, refusalOf } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { State } from '../../shared/state';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { ReasonField } from './reason-field';

const UNDER_WAY_MS = 1_000;

/** Erases all of a visitor's records after a reason and the typed project name; shows the progress. */
export function EraseVisitor({
  project,
  found,
  words,
}: {
  project: ProjectDto;
  /** The visitor's reference, or a record made with their key. */
  found: { visitorReference: string } | { consentId: string };
  words: { title: string; ask: string; text: string };
}) {
  const [opened, box] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const act = useAct({
    run: async () =>
      (await privacyErase({ path: { projectId: project.id }, body: { ...found, reason: reason.trim() } }))
        .data,
    refreshes: ['consentList', 'deliveryList', 'analyticsOverview', 'forwardingRead'],
    then: box.close,
  });
  return (
    <Stack gap="sm">
      <Allowed refusal={refusalOf(project, { role: 'owner' })} projectId={project.id}>
        <Button color="red" variant="outline" onClick={box.open}>
          {words.ask}
        </Button>
      </Allowed>
      {act.result && <Erasure projectId={project.id} begun={act.result} />}
      <ConfirmByName
        opened={opened}
        onClose={box.close}
        title={words.title}
        text={words.text}
        name={project.name}
        act={t('privacy.eraseNow')}
        pending={act.pending}
        error={act.error}
        onConfirm={() => act.run(undefined)}
      >
        <ReasonField value={reason} onChange={setReason} error={act.fields['reason']} />
      </ConfirmByName>
    </Stack>
  );
}

/** How far an erasure is that was begun here. */
function Erasure({ projectId, begun }: { projectId: string; begun: ErasureDto }) {
  const query = useQuery({
    ...privacyOneOptions({ path: { projectId, erasureId: begun.id } }),
    initialData: begun,
    refetchInterval: ({ state }) => (state.data?.finishedAt === null ? UNDER_WAY_MS : false),
  });
  const { erased, finishedAt } = query.data;
  return (
    <Text component="div" role="status">
      <State is={finishedAt === null ? 'waiting' : 'good'}>
        {finishedAt === null
          ? t('privacy.erasing', { count: erased })
          : t('privacy.erased', { count: erased })}
      </State>
    </Text>
  );
}
