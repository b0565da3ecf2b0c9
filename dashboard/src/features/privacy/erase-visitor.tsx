import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { privacyOneOptions } from '../../client/@tanstack/react-query.gen';
import { privacyErase } from '../../client/sdk.gen';
import type { ErasureDto, ProjectDto } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ConfirmByNameDialog } from '../../shared/confirm-by-name-dialog';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
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
  const [opened, dialog] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const mutation = useApiMutation({
    request: async () =>
      (await privacyErase({ path: { projectId: project.id }, body: { ...found, reason: reason.trim() } }))
        .data,
    invalidates: ['consentList', 'deliveryList', 'analyticsOverview', 'forwardingRead'],
    onSuccess: dialog.close,
  });
  return (
    <Stack gap="sm">
      <AccessFieldset refusal={checkAccess(project, { role: 'owner' })} projectId={project.id}>
        <Button color="red" variant="outline" onClick={dialog.open}>
          {words.ask}
        </Button>
      </AccessFieldset>
      {mutation.data && <Erasure projectId={project.id} begun={mutation.data} />}
      <ConfirmByNameDialog
        opened={opened}
        onClose={dialog.close}
        title={words.title}
        text={words.text}
        name={project.name}
        confirmLabel={t('privacy.eraseNow')}
        isPending={mutation.isPending}
        error={mutation.error}
        onConfirm={() => mutation.mutate(undefined)}
      >
        <ReasonField value={reason} onChange={setReason} error={mutation.fieldErrors['reason']} />
      </ConfirmByNameDialog>
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
      <StatusLabel status={finishedAt === null ? 'waiting' : 'good'}>
        {finishedAt === null
          ? t('privacy.erasing', { count: erased })
          : t('privacy.erased', { count: erased })}
      </StatusLabel>
    </Text>
  );
}
