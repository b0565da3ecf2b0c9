import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { findingAccept } from '../../client/sdk.gen';
import type { FindingDto } from '../../client/types.gen';
import { FormDialog } from '../../shared/form-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { findingSentence } from './finding-sentence';

/** Asks why a finding is accepted; the audit log keeps the answer. */
export function AcceptDialog(props: { projectId: string; finding: FindingDto; onClose: () => void }) {
  const { projectId, finding, onClose } = props;
  const [reason, setReason] = useState('');
  const mutation = useApiMutation({
    request: async (body: { reason: string }) =>
      (await findingAccept({ path: { projectId, findingId: finding.id }, body })).data,
    successMessage: t('findings.accepted'),
    invalidates: ['findingOfScan', 'findingList', 'findingChanges'],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={t('findings.acceptTitle')}
      confirmLabel={t('findings.accept')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => mutation.mutate({ reason })}
    >
      <Text>{findingSentence(finding)}</Text>
      <TextInput
        label={t('findings.reason')}
        description={t('findings.reasonHint')}
        required
        data-autofocus
        autoComplete="off"
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
        error={mutation.fieldErrors['reason']}
      />
    </FormDialog>
  );
}
