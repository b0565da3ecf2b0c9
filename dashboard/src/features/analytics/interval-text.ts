import type { ConsentAnalyticsView } from '../../client/types.gen';
import { t } from '../../texts/texts';

/** An hour or a day of a series, in UTC as the API counts them. */
export function intervalText(at: string, interval: ConsentAnalyticsView['interval']): string {
  return new Intl.DateTimeFormat(t.language, {
    timeZone: 'UTC',
    dateStyle: 'medium',
    ...(interval === 'hour' && { timeStyle: 'short' }),
  }).format(new Date(at));
}
