import type { AnalyticsResponse } from '../../client/types.gen';
import { locale, t } from '../../i18n/i18n';

/** An hour or a day of a series, in UTC as the API counts them; the last one of a period is still running. */
export function intervalText(
  at: string,
  interval: AnalyticsResponse['interval'],
  isRunning: boolean,
): string {
  const time = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    dateStyle: 'medium',
    ...(interval === 'hour' && { timeStyle: 'short' }),
  }).format(new Date(at));
  return isRunning ? t('analytics.soFar', { time }) : time;
}
