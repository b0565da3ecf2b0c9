import type { ConsentAnalyticsView } from '../../client/types.gen';
import { locale } from '../../i18n/i18n';

/** An hour or a day of a series, in UTC as the API counts them. */
export function intervalText(at: string, interval: ConsentAnalyticsView['interval']): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    dateStyle: 'medium',
    ...(interval === 'hour' && { timeStyle: 'short' }),
  }).format(new Date(at));
}
