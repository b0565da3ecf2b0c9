import { locale } from '../../i18n/i18n';
import type { Zone } from '../../shared/time';

/** `Nov 24, 2026`, by the reader's clock. */
export function formatDay(at: number | string, zone: Zone): string {
  return new Intl.DateTimeFormat(locale, {
    dateStyle: 'medium',
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  }).format(new Date(at));
}
