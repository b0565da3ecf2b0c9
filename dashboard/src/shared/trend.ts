import { formatNumber } from './format';
import { locale } from '../i18n/i18n';

/** How a number compares with an earlier one. */
export interface Trend {
  text: string;
  direction: 'up' | 'down' | 'flat';
  tone: 'good' | 'bad' | 'neutral';
}

/** Smaller changes are shown as none. */
const SMALLEST_SHARE = 0.0005;

/** The change in per cent; null where the earlier number is 0, which nothing can be compared with. */
export function changeOf(now: number, before: number): Trend | null {
  if (before === 0) return null;
  const share = (now - before) / before;
  const format = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: Math.abs(share) < 1 ? 1 : 0,
    signDisplay: 'exceptZero',
  });
  return { text: format.format(share), ...judge(share) };
}

/** The change of a share in percentage points; null where either is unknown. */
export function pointsOf(now: number | null, before: number | null, unit: string): Trend | null {
  if (now === null || before === null) return null;
  const format = new Intl.NumberFormat(locale, { maximumFractionDigits: 1, signDisplay: 'exceptZero' });
  return { text: `${format.format((now - before) * 100)} ${unit}`, ...judge(now - before) };
}

/** An increase of something unwanted; null for none. */
export function increaseOf(count: number): Trend | null {
  return count === 0 ? null : { text: `+${formatNumber(count)}`, direction: 'up', tone: 'bad' };
}

function judge(difference: number): Pick<Trend, 'direction' | 'tone'> {
  if (Math.abs(difference) < SMALLEST_SHARE) return { direction: 'flat', tone: 'neutral' };
  return difference > 0 ? { direction: 'up', tone: 'good' } : { direction: 'down', tone: 'bad' };
}
