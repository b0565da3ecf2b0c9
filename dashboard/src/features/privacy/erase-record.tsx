import { Button, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { consentErase } from '../../client/sdk.gen';
import type { ProjectResponse } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ConfirmByNameDialog } from '../../shared/confirm-by-name-dialog';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { EraseVisitor } from './erase-visitor';
import { ReasonField } from './reason-field';

/** Erases one record, or all that were made on its visitor's device; for a reason and with the project's name typed. */
export function EraseRecord({
  project,
  consentId,
  onErased,
}: {
  project: ProjectResponse;
  consentId: string;
  onErased: () => void;
}) {
  const [opened, dialog] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const mutation = useApiMutation({
    request: async () =>
      (await consentErase({ path: { projectId: project.id, consentId }, body: { reason: reason.trim() } }))
        .data,
    successMessage: t('privacy.erasedOne'),
    invalidates: ['consentList', 'deliveryList', 'analyticsOverview', 'forwardingRead'],
    onSuccess: onErased,
  });
  return (
    <section aria-label={t('privacy.eraseRecord')}>
      <Stack gap="sm">
        <Title order={3}>{t('privacy.eraseRecord')}</Title>
        <Text>{t('privacy.eraseRecordText')}</Text>
        <AccessFieldset refusal={checkAccess(project, { role: 'owner' })} projectId={project.id}>
          <Button color="red" variant="outline" onClick={dialog.open}>
            {t('privacy.eraseRecordOpen')}
          </Button>
        </AccessFieldset>
        <Text>{t('privacy.eraseDevice.text')}</Text>
        <EraseVisitor
          project={project}
          target={{ consentId }}
          title={t('privacy.eraseDevice.title')}
          text={t('privacy.eraseDevice.text')}
          openLabel={t('privacy.eraseDevice.open')}
        />
      </Stack>
      <ConfirmByNameDialog
        opened={opened}
        onClose={dialog.close}
        title={t('privacy.eraseRecord')}
        text={t('privacy.eraseRecordText')}
        name={project.name}
        confirmLabel={t('privacy.eraseNow')}
        isPending={mutation.isPending}
        error={mutation.error}
        onConfirm={() => mutation.mutate(undefined)}
      >
        <ReasonField value={reason} onChange={setReason} error={mutation.fieldErrors['reason']} />
      </ConfirmByNameDialog>
    </section>
  );
}
