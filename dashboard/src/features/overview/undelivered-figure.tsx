import { useQuery } from '@tanstack/react-query';
import { Figure } from '../../shared/figure';
import { formatNumber } from '../../shared/format';
import { increaseOf } from '../../shared/trend';
import { useZone } from '../../shared/zone';
import { t } from '../../i18n/i18n';
import { overviewQueries } from './queries';

const LIVE_MS = 10_000;

/** Records that were not delivered and are not retried, over the failed attempts of the last 24 hours. */
export function UndeliveredFigure({ projectId }: { projectId: string }) {
  const queries = overviewQueries(projectId, useZone().zone);
  const { data } = useQuery({ ...queries.undelivered, refetchInterval: LIVE_MS });
  const settings = useQuery(queries.forwarding).data;
  const slots = useQuery(queries.activity).data?.slots ?? [];
  const isOff = settings !== undefined && !(settings.available && settings.enabled);
  if (data?.records === 0 && isOff)
    return <Figure title={t('overview.undelivered')} value="–" note={t('health.off')} />;
  return (
    <Figure
      title={t('overview.undelivered')}
      value={data ? `${formatNumber(data.records)}${data.more ? '+' : ''}` : '–'}
      trend={data && increaseOf(data.lastDay)}
      note={
        data &&
        (data.records === 0 ? t('overview.allDelivered') : t('overview.lastDay', { count: data.lastDay }))
      }
      course={slots.map(({ failed }) => failed)}
      courseTone={data && data.lastDay > 0 ? 'bad' : 'accent'}
    />
  );
}
