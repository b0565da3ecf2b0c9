import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { findingAccept } from '../../client/sdk.gen';
import type { FindingResponse } from '../../client/types.gen';
import { FormDialog } from '../../shared/form-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { findingSentence } from './finding-sentence';

/** Asks why findings are accepted; the audit log keeps the answer for each. */
export function AcceptDialog(props: { projectId: string; findings: FindingResponse[]; onClose: () => void }) {
  const { projectId, findings, onClose } = props;
  const count = findings.length;
  const [reason, setReason] = useState('');
  const mutation = useApiMutation({
    // One after the other: an accepted finding can be accepted again after a failure.
    request: async (body: { reason: string }) => {
      for (const { id } of findings) await findingAccept({ path: { projectId, findingId: id }, body });
    },
    successMessage: t('findings.accepted', { count }),
    invalidates: ['findingOfScan', 'findingList', 'findingChanges', 'scanRead', 'scanList'],
    onSuccess: onClose,
  });
  return (
    <FormDialog
      title={t('findings.acceptTitle', { count })}
      confirmLabel={t('findings.acceptAll', { count })}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => mutation.mutate({ reason })}
    >
      {findings.map((finding) => (
        <Text key={finding.id}>{findingSentence(finding)}</Text>
      ))}
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
