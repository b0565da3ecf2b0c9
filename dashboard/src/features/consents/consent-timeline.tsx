import { Title } from '@mantine/core';
import { deliveryResponseBody } from '../../client/sdk.gen';
import type { ConsentResponse, DeliveryResponse, ProjectResponse } from '../../client/types.gen';
import { regionName } from '../../shared/display-names';
import { formatNumber } from '../../shared/format';
import { ProblemAlert } from '../../shared/problem-alert';
import { Step } from '../../shared/step';
import { Countdown } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { outcomeSentence, outcomeStatus } from '../deliveries/outcome';
import { ResponseBody } from '../deliveries/response-body';
import { type DeliveryState, useAttempts } from '../deliveries/use-attempts';
import { useResends } from '../deliveries/use-resends';
import { ContinuedLog, ProofStep } from '../evidence/proof';
import { regionCode } from './region-code';

/** What happened to a record, in the order in which it happened. */
export function ConsentTimeline({ project, record }: { project: ProjectResponse; record: ConsentResponse }) {
  const attempts = useAttempts(project.id, record);
  const items = (attempts.data?.items ?? []).toReversed();
  const resentBy = useResends(project, record, items);
  const region = regionCode(record.additionalFields);
  return (
    <section aria-label={t('consents.happened')} className="record-part">
      <Title order={3}>{t('consents.happened')}</Title>
      <ProblemAlert error={attempts.error} retry={() => void attempts.refetch()} />
      <ol className="steps">
        <Step
          status="good"
          title={t(record.importId === null ? 'consents.stored' : 'consents.importedStep')}
          at={record.receivedAt}
        >
          {record.givenAt !== null && (
            <p>
              {t('consents.importedText', {
                sha256: (record.import as { fileSha256?: string } | null | undefined)?.fileSha256 ?? '–',
              })}
            </p>
          )}
          {[record.hostname ?? t('consents.noHost'), region && regionName(region)]
            .filter(Boolean)
            .join(' · ')}
        </Step>
        {items.map((attempt) => (
          <AttemptStep key={attempt.id} project={project} attempt={attempt} resentBy={resentBy(attempt)} />
        ))}
        <PresentState state={record.delivery as DeliveryState} hasAttempts={items.length > 0} />
        <ProofStep projectId={project.id} record={record} />
      </ol>
      <ContinuedLog projectId={project.id} />
    </section>
  );
}

const UNSENT: Partial<Record<string, 'deliveries.unsentTier' | 'deliveries.unsentImported'>> = {
  tier: 'deliveries.unsentTier',
  imported: 'deliveries.unsentImported',
};

const TITLES = {
  delivered: 'outcomes.delivered',
  failed: 'consents.deliveryFailed',
  skipped: 'outcomes.skipped',
} as const;

function AttemptStep(props: {
  project: ProjectResponse;
  attempt: DeliveryResponse;
  resentBy: string | null;
}) {
  const { project, attempt, resentBy } = props;
  const { outcome, category, durationMs } = attempt;
  const path = { projectId: project.id, deliveryId: attempt.id };
  const details = [
    category !== null && t(`deliveries.categories.${category}`),
    outcome === 'failed' && `${formatNumber(durationMs)} ms`,
    attempt.attempt > 1 && t('deliveries.attempt', { attempt: attempt.attempt }),
  ].filter(Boolean);
  return (
    <Step status={outcomeStatus(outcome)} title={t(TITLES[outcome])} at={attempt.attemptedAt}>
      {resentBy !== null && `${resentBy} `}
      {outcomeSentence(attempt)}
      {details.length > 0 && ` ${details.join(' · ')}`}
      {attempt.hasResponseBody && (
        <ResponseBody
          project={project}
          attemptId={attempt.id}
          hint={t('deliveries.responseBodyHint')}
          load={async () => (await deliveryResponseBody({ path })).data.responseBody}
        />
      )}
    </Step>
  );
}

/** The next step, or why there is none. */
function PresentState({ state, hasAttempts }: { state: DeliveryState; hasAttempts: boolean }) {
  if (state === null)
    return hasAttempts ? null : (
      <Step status="off" title={t('consents.noDelivery')}>
        {t('deliveries.logExpired')}
      </Step>
    );
  if (state.outcome === 'pending')
    return (
      <Step status="waiting" title={t('consents.deliveryWords.pending')}>
        {state.attempt !== undefined && state.nextAttemptAt !== undefined ? (
          <>
            {t('deliveries.pendingRetry', { attempt: state.attempt })} <Countdown at={state.nextAttemptAt} />
          </>
        ) : (
          t('deliveries.pending')
        )}
      </Step>
    );
  if (state.outcome !== 'unsent') return null;
  return (
    <Step status="off" title={t('consents.deliveryWords.unsent')}>
      {t(UNSENT[state.reason ?? ''] ?? 'deliveries.unsentOff')}
    </Step>
  );
}
