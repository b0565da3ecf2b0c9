import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { logLogOptions } from '../../client/@tanstack/react-query.gen';
import { logProof, rootLogPublishedKeys } from '../../client/sdk.gen';
import type { ConsentResponse } from '../../client/types.gen';
import { ProblemAlert } from '../../shared/problem-alert';
import type { Status } from '../../shared/status-label';
import { Step } from '../../shared/step';
import { absoluteTime, timeZoneName, type Zone } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { RefusedProof, UncheckedProof, verifyInBrowser } from './verify-in-browser';

/** Whether a record is sealed, as `GET …/consents/:consentId` says it. */
export interface Sealed {
  status: 'off' | 'never' | 'pending' | 'sealed';
  index: number | null;
  isInRootLog: boolean;
}

/** A record's proof in its history: whether it is sealed, and its check in this very browser. */
export function ProofStep({ projectId, record }: { projectId: string; record: ConsentResponse }) {
  const sealed = record.evidence as Sealed | undefined;
  if (!sealed) return null;
  const { status } = sealed;
  return (
    <Step status={STEP_STATUS[status]} title={t(`evidence.statuses.${status}`)}>
      <section aria-label={t('evidence.title')}>
        {status === 'sealed' ? (
          <SealedRecord projectId={projectId} id={record.id} sealed={sealed} />
        ) : (
          t(`evidence.${status}`)
        )}
      </section>
    </Step>
  );
}

const STEP_STATUS: Record<Sealed['status'], Status> = {
  sealed: 'good',
  pending: 'waiting',
  off: 'off',
  never: 'off',
};

/** Where the proof of a record is downloaded. */
export const proofUrl = (projectId: string, consentId: string): string =>
  `/v1/projects/${projectId}/consents/${consentId}/proof?format=tlog-proof`;

/** Where its page for people is downloaded, in their language and time zone. */
const proofPageUrl = (projectId: string, consentId: string, zone: Zone): string => {
  const query = new URLSearchParams({ format: 'pdf', language: locale, timeZone: timeZoneName(zone) });
  return `/v1/projects/${projectId}/consents/${consentId}/proof?${query}`;
};

/** Why the project's log continues another one; nothing for the first log. */
export function ContinuedLog({ projectId }: { projectId: string }) {
  const log = useQuery(logLogOptions({ path: { projectId } }));
  const { zone } = useZone();
  if (log.isError) return <ProblemAlert error={log.error} retry={() => void log.refetch()} />;
  if (!log.data?.continues) return null;
  const { size, reason } = log.data.continues;
  const at = absoluteTime(new Date(log.data.continues.at), zone, locale);
  return (
    <Text size="sm">
      {size === 0
        ? t('evidence.begins', { at, reason })
        : t('evidence.continued', { log: log.data.epoch, at, reason })}
    </Text>
  );
}

function SealedRecord({ projectId, id, sealed }: { projectId: string; id: string; sealed: Sealed }) {
  const path = { projectId, consentId: id };
  const { zone } = useZone();
  return (
    <>
      {t('evidence.sealed', { entry: (sealed.index ?? 0) + 1 })}
      {sealed.isInRootLog ? ` ${t('evidence.inRootLog')}` : ''}
      <ProofCheck
        kind="record"
        // Bytes: as text, a byte order mark would be gone before the check.
        load={async () => (await logProof({ path, parseAs: 'arrayBuffer' })).data as unknown as ArrayBuffer}
        download={{ href: proofPageUrl(projectId, id, zone), label: t('evidence.download.pdf') }}
      />
    </>
  );
}

/** Checks a proof in this browser, and offers a file of it. */
export function ProofCheck({
  kind,
  load,
  download,
}: {
  kind: 'record' | 'scan';
  load: () => Promise<ArrayBuffer>;
  download: { href: string; label: string };
}) {
  const check = useMutation({
    mutationFn: async () => {
      const [proof, keys] = await Promise.all([load(), rootLogPublishedKeys({ parseAs: 'text' })]);
      return verifyInBrowser(proof, String(keys.data));
    },
  });
  return (
    <>
      <Group gap="sm" my={6}>
        <Button size="compact-sm" variant="default" loading={check.isPending} onClick={() => check.mutate()}>
          {t('evidence.verify')}
        </Button>
        <Button size="compact-sm" variant="default" component="a" href={download.href} download>
          {download.label}
        </Button>
      </Group>
      <CheckFailure error={check.error} retry={() => check.mutate()} />
      {check.data && (
        <div role="status">
          <Text fw={600}>{t('evidence.verified')}</Text>
          <ol className="attempts">
            <li>{t(`evidence.steps.${kind}`)}</li>
            <li>
              {t('evidence.steps.tree', {
                size: check.data.checkpoint.size,
                origin: check.data.checkpoint.origin,
              })}
            </li>
            <li>{check.data.isInRootLog ? t('evidence.steps.root') : t('evidence.steps.notInRoot')}</li>
          </ol>
          <Text size="sm">{t(kind === 'scan' ? 'scans.proof.limits' : 'evidence.limits')}</Text>
        </div>
      )}
    </>
  );
}

/** Why the check did not end well: the proof is wrong, this browser cannot tell, or a request failed. */
function CheckFailure({ error, retry }: { error: Error | null; retry: () => void }) {
  if (error instanceof RefusedProof)
    return (
      <Alert color="red" role="alert" variant="outline">
        {t('evidence.refused', {
          step: error.step,
          // The verifier is English: people also run it without the dashboard.
          reason: locale === 'en' ? `${error.message}.` : t(`evidence.refusedSteps.${error.step}`),
        })}
      </Alert>
    );
  if (error instanceof UncheckedProof)
    return (
      <Alert color="yellow" role="alert" variant="outline">
        {t('evidence.unsupported')}
      </Alert>
    );
  return <ProblemAlert error={error} retry={retry} />;
}
