import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { forwardingReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ForwardingSettingsResponse } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { StatusLabel } from '../../shared/status-label';
import { AbsoluteTime, RelativeTime } from '../../shared/timestamps';
import { t } from '../../i18n/i18n';
import { endpointHealth } from './health';
import { HoldNotice } from './hold-notice';
import { failureSentence, heldSentence } from './outcome';

const LIVE_MS = 3_000;

/** The receiver's health in a sentence or two. */
export function EndpointHealth({ projectId }: { projectId: string }) {
  const query = useQuery({ ...forwardingReadOptions({ path: { projectId } }), refetchInterval: LIVE_MS });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={1} />;
  const settings = query.data;
  return (
    <>
      <Text component="div" data-health={endpointHealth(settings)} role="status">
        <StatusLabel status={endpointHealth(settings)}>
          <HealthSentence projectId={projectId} settings={settings} />
        </StatusLabel>
        {settings.state === 'held' ? (
          <HoldNotice settings={settings} />
        ) : (
          settings.pending > 0 && <Text>{t('health.queued', { count: settings.pending })}</Text>
        )}
        {settings.retrying > 0 && <Text>{t('health.retrying', { count: settings.retrying })}</Text>}
        {endpointHealth(settings) === 'bad' && (
          <Text>
            {t('health.resendHint')}{' '}
            <AnchorLink
              to="/projects/$projectId/deliveries"
              params={{ projectId }}
              search={{ status: 'failed' }}
            >
              {t('health.viewFailed')}
            </AnchorLink>
          </Text>
        )}
        {settings.oldestWaitingAt !== null && (
          <Text>
            {t('health.oldestQueued')} <AbsoluteTime at={settings.oldestWaitingAt} />.
          </Text>
        )}
      </Text>
    </>
  );
}

function HealthSentence({
  projectId,
  settings,
}: {
  projectId: string;
  settings: ForwardingSettingsResponse;
}) {
  const { available, enabled, state, lastFailure, lastDeliveredAt } = settings;
  if (!available)
    return (
      <span>
        {t('health.notAvailable')}{' '}
        <AnchorLink to="/projects/$projectId/settings/plan" params={{ projectId }}>
          {t('shared.seePlans')}
        </AnchorLink>
      </span>
    );
  if (!enabled) return t('health.off');
  if (state === 'held') return heldSentence(settings);
  switch (endpointHealth(settings)) {
    case 'bad':
      return (
        <span>
          {lastFailure && (
            <>
              {failureSentence(lastFailure)} {t('health.failed')} <RelativeTime at={lastFailure.at} />.{' '}
            </>
          )}
          {lastDeliveredAt && (
            <>
              {t('health.lastDelivery')} <RelativeTime at={lastDeliveredAt} />.
            </>
          )}
        </span>
      );
    case 'good':
      return (
        <span>
          {t('health.healthy')} {lastDeliveredAt && <RelativeTime at={lastDeliveredAt} />}.
        </span>
      );
    default:
      return t('health.noDeliveries');
  }
}
