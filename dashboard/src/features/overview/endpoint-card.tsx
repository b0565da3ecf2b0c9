import { useQuery } from '@tanstack/react-query';
import type { DeliveriesTodayResponse, ForwardingSettingsResponse } from '../../client/types.gen';
import { AnchorLink } from '../../shared/anchor-link';
import { formatNumber } from '../../shared/format';
import { NoValue } from '../../shared/no-value';
import { Section } from '../../shared/section';
import { SkeletonRows } from '../../shared/skeleton-rows';
import { StatusLabel } from '../../shared/status-label';
import { RelativeTime } from '../../shared/timestamps';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { EndpointHealth } from '../deliveries/endpoint-health';
import { endpointHealth } from '../deliveries/health';
import { overviewQueries } from './queries';
import { Uptime } from './uptime';

const LIVE_MS = 3_000;
const ACTIVITY_LIVE_MS = 30_000;

/** Whether records arrive at the owner's endpoint. */
export function EndpointCard({ projectId }: { projectId: string }) {
  const { zone } = useZone();
  const queries = overviewQueries(projectId, zone);
  const { data: settings } = useQuery({ ...queries.forwarding, refetchInterval: LIVE_MS });
  return (
    <Section title={t('overview.endpoint')} aside={settings && <Condition settings={settings} />}>
      {!settings && <SkeletonRows rows={6} />}
      {settings && endpointHealth(settings) !== 'good' && <EndpointHealth projectId={projectId} />}
      {settings?.available && <Facts projectId={projectId} settings={settings} />}
    </Section>
  );
}

function Condition({ settings }: { settings: ForwardingSettingsResponse }) {
  const health = endpointHealth(settings);
  return (
    <StatusLabel status={health}>
      {t(`overview.endpointStates.${settings.state === 'held' && health === 'bad' ? 'held' : health}`)}
    </StatusLabel>
  );
}

function Facts({ projectId, settings }: { projectId: string; settings: ForwardingSettingsResponse }) {
  const queries = overviewQueries(projectId, useZone().zone);
  const { data: activity } = useQuery({ ...queries.activity, refetchInterval: ACTIVITY_LIVE_MS });
  const { p50Ms = null, p99Ms = null } = activity?.responseTime ?? {};
  const host = settings.endpointUrl === null ? null : new URL(settings.endpointUrl).host;
  return (
    <>
      {(settings.lastDeliveredAt ?? settings.lastFailure) !== null && <Uptime slots={activity?.slots} />}
      <dl className="key-values">
        <dt>{t('overview.host')}</dt>
        <dd title={settings.endpointUrl ?? undefined}>
          <AnchorLink
            to="/projects/$projectId/settings/consent/records-and-archive"
            params={{ projectId }}
            className="quiet-link"
          >
            {host ?? t('overview.noEndpoint')}
          </AnchorLink>
        </dd>
        <dt>{t('overview.deliveredToday')}</dt>
        <dd>{activity ? deliveredToday(activity.today) : '–'}</dd>
        <dt>{t('overview.responseTime')}</dt>
        <dd>
          {p50Ms === null || p99Ms === null ? (
            <NoValue reason={t('health.noDeliveries')} />
          ) : (
            t('overview.milliseconds', { p50: p50Ms, p99: p99Ms })
          )}
        </dd>
        <dt>{t('overview.lastDelivery')}</dt>
        <dd>
          {settings.lastDeliveredAt === null ? (
            <NoValue reason={t('health.noDeliveries')} />
          ) : (
            <RelativeTime at={settings.lastDeliveredAt} />
          )}
        </dd>
        <dt>{t('overview.queued')}</dt>
        <dd>{formatNumber(settings.pending)}</dd>
        {settings.retryFailures.enabled && (
          <>
            <dt>{t('overview.retrying')}</dt>
            <dd>{formatNumber(settings.retrying)}</dd>
          </>
        )}
      </dl>
    </>
  );
}

/** Records whose delivery succeeded, of those attempted. */
function deliveredToday({ delivered, failed, more }: DeliveriesTodayResponse): string {
  return more
    ? t('overview.moreThan', { count: delivered })
    : t('overview.deliveredOf', { delivered, all: delivered + failed });
}
