import { Button, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { consentErase } from '../../client/sdk.gen';
import type { ProjectDto } from '../../client/types.gen';
import { Allowed, refusalOf } from '../../shared/allowed';
import { ConfirmByName } from '../../shared/confirm-by-name';
import { useAct } from '../../shared/use-act';
import { t } from '../../i18n/i18n';
import { EraseVisitor } from './erase-visitor';
import { ReasonField } from './reason-field';

/** Erases one record, or all that were made on its visitor's device; for a reason and with the project's name typed. */
export function EraseRecord({
  project,
  consentId,
  onErased,
}: {
  project: ProjectDto;
  consentId: string;
  onErased: () => void;
}) {
  const [opened, box] = useDisclosure(false);
  const [reason, setReason] = useState('');
  const act = useAct({
    run: async () =>
      (await consentErase({ path: { projectId: project.id, consentId }, body: { reason: reason.trim() } }))
        .data,
    done: t('privacy.erasedOne'),
    refreshes: ['consentList', 'deliveryList', 'analyticsOverview', 'forwardingRead'],
    then: onErased,
  });
  return (
    <section aria-label={t('privacy.eraseRecord')}>
      <Stack gap="sm">
        <Title order={3}>{t('privacy.eraseRecord')}</Title>
        <Text>{t('privacy.eraseRecordText')}</Text>
        <Allowed refusal={refusalOf(project, { role: 'owner' })} projectId={project.id}>
          <Button color="red" variant="outline" onClick={box.open}>
            {t('privacy.eraseRecordOpen')}
          </Button>
        </Allowed>
        <Text>{t('privacy.eraseDevice.text')}</Text>
        <EraseVisitor
          project={project}
          found={{ consentId }}
          words={{
            title: t('privacy.eraseDevice.title'),
            ask: t('privacy.eraseDevice.open'),
            text: t('privacy.eraseDevice.text'),
          }}
        />
      </Stack>
      <ConfirmByName
        opened={opened}
        onClose={box.close}
        title={t('privacy.eraseRecord')}
        text={t('privacy.eraseRecordText')}
        name={project.name}
        act={t('privacy.eraseNow')}
        pending={act.pending}
        error={act.error}
        onConfirm={() => act.run(undefined)}
      >
        <ReasonField value={reason} onChange={setReason} error={act.fields['reason']} />
      </ConfirmByName>
    </section>
  );
}
