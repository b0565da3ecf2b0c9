import type { DeliveryResponse, ForwardingSettingsResponse } from '../../client/types.gen';
import type { Status } from '../../shared/status-label';
import { locale, t, translateCode } from '../../i18n/i18n';

export function outcomeStatus(outcome: DeliveryResponse['outcome']): Status {
  return outcome === 'delivered' ? 'good' : outcome === 'failed' ? 'bad' : 'off';
}

/** Why an attempt failed: the API's sentence in English, the name of its category in other languages. */
export function failureSentence(failure: {
  reason: string | null;
  category: string | null;
  httpStatus: number | null;
}): string {
  if (locale === 'en' && failure.reason !== null) return failure.reason;
  const category = translateCode('deliveries.categories', failure.category);
  return category === undefined
    ? (failure.reason ?? t('deliveries.failed'))
    : t('deliveries.failedBecause', { category, status: `${failure.httpStatus ?? 'none'}` });
}

/** Failures that say nothing of the receiver. */
const OURS = ['worker_lost', 'configuration'];

/** Why records are held: the receiver's latest failure, updated by each probe. */
export function heldSentence({
  heldReason,
  lastFailure,
}: Pick<ForwardingSettingsResponse, 'heldReason' | 'lastFailure'>): string {
  if (lastFailure && !OURS.includes(lastFailure.category ?? '')) return failureSentence(lastFailure);
  return locale === 'en' && heldReason !== null ? heldReason : t('health.refusing');
}

/** What happened in an attempt, as a sentence. */
export function outcomeSentence(delivery: DeliveryResponse): string {
  const { outcome, reason, httpStatus, host, durationMs } = delivery;
  if (outcome === 'skipped')
    return translateCode('skipReasons', reason) ?? t('deliveries.skipped', { reason: reason ?? '' });
  if (outcome === 'failed') return failureSentence(delivery);
  return t('deliveries.delivered', { host: host ?? '', status: `${httpStatus ?? 0}`, ms: durationMs });
}
