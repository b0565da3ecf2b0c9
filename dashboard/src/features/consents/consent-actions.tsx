import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import Send from 'lucide-react/icons/send';
import ShieldCheck from 'lucide-react/icons/shield-check';
import { useEffect, useId, useRef } from 'react';
import { tierReadOptions } from '../../client/@tanstack/react-query.gen';
import { deliveryResendOne } from '../../client/sdk.gen';
import type { ConsentResponse, ProjectResponse } from '../../client/types.gen';
import { AccessNote, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import { t } from '../../i18n/i18n';
import { type DeliveryState, useAttempts } from '../deliveries/use-attempts';
import { proofUrl, type Sealed } from '../evidence/proof';
import { EraseRecord } from '../privacy/erase-record';

/** What can be done with a record: resend it, take its proof along, erase it. */
export function ConsentActions(props: {
  project: ProjectResponse;
  record: ConsentResponse;
  onErased: () => void;
}) {
  const { project, record, onErased } = props;
  const path = { projectId: project.id };
  const [erases, erasing] = useDisclosure(false);
  const panelId = useId();
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (erases) panel.current?.scrollIntoView({ block: 'end' });
  }, [erases]);
  const { data: tier } = useQuery(tierReadOptions({ path }));
  const refusal = checkAccess(project, {
    role: 'editor',
    feature: { open: tier?.features.consentForwarding ?? true, tier: 'Pro' },
  });
  const resend = useApiMutation({
    request: async () => (await deliveryResendOne({ path: { ...path, consentId: record.id } })).data,
    successMessage: ({ queued }) => (queued > 0 ? t('deliveries.queuedOne') : t('deliveries.alreadyQueued')),
    invalidates: ['consentOne', 'deliveryList', 'deliveryUndeliveredCount'],
  });
  const neverSent = useNeverSent(project.id, record);
  const isSealed = (record.evidence as Sealed | undefined)?.status === 'sealed';
  return (
    <>
      <AccessNote refusal={refusal} projectId={project.id} what={t('deliveries.resend')} />
      <div id={panelId} ref={panel} className="record-erasing" hidden={!erases}>
        {erases && <EraseRecord project={project} consentId={record.id} onErased={onErased} />}
      </div>
      <ProblemAlert error={resend.error} />
      <div className="record-actions">
        <Button
          leftSection={<Send className="icon" aria-hidden />}
          onClick={() => resend.mutate(undefined)}
          loading={resend.isPending}
          disabled={refusal !== null}
        >
          {neverSent ? t('deliveries.send') : t('deliveries.resend')}
        </Button>
        {isSealed && (
          <Button
            variant="default"
            component="a"
            href={proofUrl(project.id, record.id)}
            download
            leftSection={<ShieldCheck className="icon" aria-hidden />}
          >
            {t('evidence.download.tlog-proof')}
          </Button>
        )}
        <Button
          className="record-erase"
          variant="subtle"
          color="red"
          aria-expanded={erases}
          aria-controls={panelId}
          onClick={erasing.toggle}
        >
          {t('privacy.erase')}
        </Button>
      </div>
    </>
  );
}

/** Whether nothing was ever sent. Where the log has expired, an earlier attempt is possible. */
function useNeverSent(projectId: string, record: ConsentResponse): boolean {
  const attempts = useAttempts(projectId, record).data?.items ?? [];
  const state = record.delivery as DeliveryState;
  return (
    state !== null &&
    !['delivered', 'failed'].includes(state.outcome) &&
    attempts.every(({ outcome }) => outcome === 'skipped')
  );
}
