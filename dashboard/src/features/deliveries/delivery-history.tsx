import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  deliveryListOptions,
  forwardingReadOptions,
  tierReadOptions,
} from '../../client/@tanstack/react-query.gen';
import { deliveryResendOne } from '../../client/sdk.gen';
import type { ConsentView, ProjectDto } from '../../client/types.gen';
import { AccessFieldset, checkAccess } from '../../shared/access';
import { ProblemAlert } from '../../shared/problem-alert';
import { StatusLabel } from '../../shared/status-label';
import { useApiMutation } from '../../shared/use-api-mutation';
import { AbsoluteTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { AttemptDetails } from './attempt-details';
import { outcomeStatus, outcomeSentence } from './outcome';

/** Attempts shown of one record. */
const ATTEMPTS_MAX = 50;

/** What became of one record: each attempt, what is to come, and sending it again. */
export function DeliveryHistory({ project, record }: { project: ProjectDto; record: ConsentView }) {
  const path = { projectId: project.id };
  const { data: tier } = useQuery(tierReadOptions({ path }));
  const { data: settings } = useQuery(forwardingReadOptions({ path }));
  const state = record.delivery as { outcome: string; reason?: string } | null;
  const attempts = useQuery({
    ...deliveryListOptions({ path, query: { consentId: record.id, limit: ATTEMPTS_MAX } }),
    // A new outcome of the record is a new attempt of this list.
    queryHash: JSON.stringify(['attempts', record.id, record.delivery]),
  });
  const resend = useApiMutation({
    request: async () => (await deliveryResendOne({ path: { ...path, consentId: record.id } })).data,
    successMessage: ({ queued }) => (queued > 0 ? t('deliveries.queuedOne') : t('deliveries.alreadyQueued')),
    invalidates: ['consentOne', 'deliveryList'],
  });
  // Where the log has expired, an earlier attempt is possible.
  const isFirst =
    state !== null &&
    !['delivered', 'failed'].includes(state.outcome) &&
    (attempts.data?.items ?? []).every(({ outcome }) => outcome === 'skipped');
  const refusal = checkAccess(project, {
    role: 'editor',
    feature: { open: tier?.features.consentForwarding ?? true, tier: 'Pro' },
  });
  return (
    <section aria-label={t('deliveries.delivery')}>
      <Stack gap="sm">
        <Title order={3}>{t('deliveries.delivery')}</Title>
        <LifeSentence state={state} />
        <ProblemAlert error={attempts.error} retry={() => void attempts.refetch()} />
        {(attempts.data?.items.length ?? 0) > 0 && (
          <ol className="attempts">
            {attempts.data?.items.map((attempt) => (
              <li key={attempt.id}>
                <Group gap="xs">
                  <StatusLabel status={outcomeStatus(attempt.outcome)}>
                    {t(`outcomes.${attempt.outcome}`)}
                  </StatusLabel>
                  <AbsoluteTime at={attempt.attemptedAt} />
                </Group>
                <Text>{outcomeSentence(attempt)}</Text>
                {attempt.outcome !== 'skipped' && (
                  <AttemptDetails projectId={project.id} attempt={attempt} settings={settings} />
                )}
              </li>
            ))}
          </ol>
        )}
        <AccessFieldset refusal={refusal} projectId={project.id}>
          <Button variant="default" onClick={() => resend.mutate(undefined)} loading={resend.isPending}>
            {isFirst ? t('deliveries.send') : t('deliveries.resend')}
          </Button>
        </AccessFieldset>
        <ProblemAlert error={resend.error} />
      </Stack>
    </section>
  );
}

function LifeSentence({ state }: { state: { outcome: string; reason?: string } | null }) {
  if (state === null) return <Text c="dimmed">{t('deliveries.logExpired')}</Text>;
  if (state.outcome === 'pending')
    return <StatusLabel status="waiting">{t('deliveries.pending')}</StatusLabel>;
  if (state.outcome === 'unsent')
    return (
      <StatusLabel status="off">
        {state.reason === 'tier' ? t('deliveries.unsentTier') : t('deliveries.unsentOff')}
      </StatusLabel>
    );
  return null;
}
