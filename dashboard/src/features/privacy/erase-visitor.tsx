import { Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { privacyOneOptions } from '../../client/@tanstack/react-query.gen';
import { privacyErase } from '../../client/sdk.gen';
import type { ErasureResponse, ProjectResponse } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ConfirmByNameDialog } from '../../shared/confirm-by-name-dialog';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { ReasonField } from './reason-field';

const POLL_MS = 1_000;

/** Erases all of a visitor's records after a reason and the typed project name; shows the progress. */
export function EraseVisitor({
  project,
  target,
  title,
  text,
  openLabel,
}: {
  project: ProjectResponse;
  /** The visitor's reference, or one of their records. */
  target: { visitorReference: string } | { consentId: string };
  title: string;
  text: string;
  openLabel: string;
}) {
  const [opened, dialog] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const mutation = useApiMutation({
    request: async () =>
      (await privacyErase({ path: { projectId: project.id }, body: { ...target, reason: reason.trim() } }))
        .data,
    invalidates: ['consentList', 'deliveryList', 'analyticsOverview', 'forwardingRead'],
    onSuccess: dialog.close,
  });
  return (
    <Stack gap="sm">
      <AccessFieldset refusal={checkAccess(project, { role: 'owner' })} projectId={project.id}>
        <Button color="red" variant="outline" onClick={dialog.open}>
          {openLabel}
        </Button>
      </AccessFieldset>
      {mutation.data && <ErasureProgress projectId={project.id} erasure={mutation.data} />}
      <ConfirmByNameDialog
        opened={opened}
        onClose={dialog.close}
        title={title}
        text={text}
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

/** Progress of an erasure started on this page. */
function ErasureProgress({ projectId, erasure }: { projectId: string; erasure: ErasureResponse }) {
  const query = useQuery({
    ...privacyOneOptions({ path: { projectId, erasureId: erasure.id } }),
    initialData: erasure,
    refetchInterval: ({ state }) => (state.data?.finishedAt === null ? POLL_MS : false),
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
