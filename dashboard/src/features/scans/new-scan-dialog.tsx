import { Checkbox, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { scanRequest } from '../../client/sdk.gen';
import type { ScanAllowanceResponse } from '../../client/types.gen';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { FormDialog } from '../../shared/form-dialog';

/** Asks which addresses a scan begins with. */
export function NewScanDialog({
  projectId,
  allowance,
  urls: given,
  onClose,
  onStarted,
}: {
  projectId: string;
  allowance: ScanAllowanceResponse;
  /** Addresses to begin with. */
  urls: readonly string[];
  onClose: () => void;
  onStarted: (scanId: string) => void;
}) {
  const [text, setText] = useState(given.join('\n'));
  const [skipAccept, setSkipAccept] = useState(false);
  const [ignoreRobots, setIgnoreRobots] = useState(false);
  const urls = text.split(/\s+/).filter((url) => url !== '');
  const mutation = useApiMutation({
    request: async (body: { urls: string[]; skipStates: 'accept'[]; ignoreRobots: boolean }) =>
      (await scanRequest({ path: { projectId }, body })).data,
    invalidates: ['scanList'],
    onSuccess: ({ id }) => onStarted(id),
  });
  return (
    <FormDialog
      title={t('scans.newScan')}
      confirmLabel={t('scans.start')}
      pending={mutation.isPending}
      error={mutation.error}
      onClose={onClose}
      onSubmit={() => mutation.mutate({ urls, skipStates: skipAccept ? ['accept'] : [], ignoreRobots })}
    >
      <Text>{t('scans.newScanText', { pages: allowance.pagesMax })}</Text>
      <Textarea
        label={t('scans.addresses')}
        description={t('scans.addressesHint')}
        placeholder="https://www.example.com/"
        autosize
        minRows={2}
        maxRows={8}
        data-autofocus
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        error={addressErrors(mutation.fieldErrors, urls)}
      />
      <Checkbox
        label={t('scans.skipAccept')}
        description={t('scans.skipAcceptHint')}
        checked={skipAccept}
        onChange={(event) => setSkipAccept(event.currentTarget.checked)}
      />
      <Checkbox
        label={t('scans.ignoreRobots')}
        checked={ignoreRobots}
        onChange={(event) => setIgnoreRobots(event.currentTarget.checked)}
        error={mutation.fieldErrors['ignoreRobots']}
      />
      <Text c="dimmed">{t('scans.agentText')}</Text>
    </FormDialog>
  );
}

/** One sentence for each refused address, which it begins with. */
function addressErrors(errors: Record<string, string>, urls: string[]): string | undefined {
  const sentences = Object.entries(errors)
    .filter(([field]) => field !== 'ignoreRobots')
    .map(([field, message]) => {
      const url = urls[Number(field.split('.')[1])];
      return url === undefined ? message : `${url}: ${message}`;
    });
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}
