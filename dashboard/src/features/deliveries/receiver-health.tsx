import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { forwardingReadOptions } from '../../client/@tanstack/react-query.gen';
import type { ForwardingSettingsDto } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { ProblemAlert } from '../../shared/problem-alert';
import { SkeletonRows } from '../../shared/endless-list';
import { State } from '../../shared/state';
import { Instant, When } from '../../shared/when';
import { t } from '../../i18n/i18n';
import { healthOf } from './health';
import { Held } from './held';
import { failureSentence, heldSentence } from './outcome';

const LIVE_MS = 3_000;

/** The receiver's health in a sentence or two. */
export function ReceiverHealth({ projectId }: { projectId: string }) {
  const query = useQuery({ ...forwardingReadOptions({ path: { projectId } }), refetchInterval: LIVE_MS });
  if (query.isError) return <ProblemAlert error={query.error} retry={() => void query.refetch()} />;
  if (!query.data) return <SkeletonRows rows={1} />;
  const settings = query.data;
  return (
    <Text component="div" data-health={healthOf(settings)} role="status">
      <State is={healthOf(settings)}>
        <HealthSentence projectId={projectId} settings={settings} />
      </State>
      {settings.state === 'held' ? (
        <Held settings={settings} />
      ) : (
        settings.pending > 0 && <Text>{t('health.queued', { count: settings.pending })}</Text>
      )}
      {healthOf(settings) === 'bad' && (
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
          {t('health.oldestQueued')} <Instant at={settings.oldestWaitingAt} />.
        </Text>
      )}
    </Text>
  );
}

function HealthSentence({ projectId, settings }: { projectId: string; settings: ForwardingSettingsDto }) {
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
  switch (healthOf(settings)) {
    case 'bad':
      return (
        <span>
          {lastFailure && failureSentence(lastFailure)} {lastFailure && <When at={lastFailure.at} />}.{' '}
          {lastDeliveredAt && (
            <>
              {t('health.lastDelivery')} <When at={lastDeliveredAt} />.
            </>
          )}
        </span>
      );
    case 'good':
      return (
        <span>
          {t('health.healthy')} {lastDeliveredAt && <When at={lastDeliveredAt} />}.
        </span>
      );
    default:
      return t('health.noDeliveries');
  }
}
