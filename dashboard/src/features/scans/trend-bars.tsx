import type { ScanResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import { shortDay } from '../../shared/time';
import { useZone } from '../../shared/zone';
import { locale, t } from '../../i18n/i18n';
import { isRunning } from './scan-status';

/** Of the highest bar. */
const HEIGHT_PX = 88;
const BARS_MAX = 10;

/** Clear problems and arguable findings of the last scans, oldest first. The table below has the same numbers. */
export function TrendBars({ scans }: { scans: readonly ScanResponse[] }) {
  const { zone } = useZone();
  const shown = scans
    .filter((scan) => !isRunning(scan) && scan.status !== 'canceled')
    .slice(0, BARS_MAX)
    .toReversed();
  if (shown.length < 2) return null;
  const highest = Math.max(1, ...shown.map(({ result }) => (result ? result.settled + result.arguable : 0)));
  const px = (value: number) => Math.round((value / highest) * HEIGHT_PX);
  return (
    <ol className="trend-bars" aria-label={t('scans.trend')}>
      {shown.map(({ id, result, endedAt, createdAt }) => {
        const day = shortDay(new Date(endedAt ?? createdAt), zone, locale);
        return (
          <li key={id} title={`${day}: ${pointText(result)}`}>
            <span className="hidden-text">
              {day}: {pointText(result)}
            </span>
            <b aria-hidden data-tone={toneOf(result)}>
              {result ? formatNumber(result.settled || result.arguable) : '–'}
            </b>
            {result === null && <i aria-hidden data-tone="none" />}
            {result && result.settled + result.arguable === 0 && <i aria-hidden data-tone="good" />}
            {result && result.arguable > 0 && (
              <i aria-hidden data-tone="warn" style={{ height: px(result.arguable) }} />
            )}
            {result && result.settled > 0 && (
              <i aria-hidden data-tone="bad" style={{ height: px(result.settled) }} />
            )}
            <small aria-hidden>{day}</small>
          </li>
        );
      })}
    </ol>
  );
}

function toneOf(result: ScanResponse['result']): string {
  if (result === null) return 'none';
  if (result.settled > 0) return 'bad';
  return result.arguable > 0 ? 'warn' : 'good';
}

function pointText(result: ScanResponse['result']): string {
  return result === null
    ? t('scans.notTestable')
    : t('scans.trendPoint', { settled: result.settled, arguable: result.arguable });
}
