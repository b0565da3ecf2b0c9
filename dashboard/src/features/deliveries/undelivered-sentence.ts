import type { FailureCauseResponse, UndeliveredResponse } from '../../client/types.gen';
import { clockTime, shortDay, type Zone } from '../../shared/time';
import { locale, t, translateCode } from '../../i18n/i18n';

type Facts = Pick<UndeliveredResponse, 'causes' | 'firstFailedAt' | 'lastFailedAt'>;

/** "Your endpoint returned 503 between 02:14 and 02:31." Empty where nothing is known. */
export function undeliveredSentence(
  { causes, firstFailedAt, lastFailedAt }: Facts,
  { zone, now }: { zone: Zone; now: Date },
): string {
  const [cause, ...others] = causes;
  if (!cause || firstFailedAt === null) return '';
  // Over several days, the days are enough.
  const isLong = lastFailedAt !== null && lastFailedAt.slice(0, 10) !== firstFailedAt.slice(0, 10);
  const text = (at: string): string =>
    isLong ? shortDay(new Date(at), zone, locale) : clockTime(new Date(at), { zone, now, language: locale });
  const from = text(firstFailedAt);
  const to = lastFailedAt === null ? '' : text(lastFailedAt);
  const span = to === '' ? 'since' : to === from ? 'at' : 'between';
  const when = t(`health.when.${span}`, { from, to });
  const sentence = causeSentence(cause, when);
  return others.length === 0 ? sentence : t('health.mostFrequentCause', { sentence });
}

function causeSentence({ httpStatus, category }: FailureCauseResponse, when: string): string {
  if (httpStatus !== null) return t('health.causeStatus', { status: `${httpStatus}`, when });
  const name = translateCode('deliveries.categories', category);
  return name === undefined
    ? t('health.causeUnknown', { when })
    : t('health.causeCategory', { category: name, when });
}
