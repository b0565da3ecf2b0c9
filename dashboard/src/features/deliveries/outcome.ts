import type { DeliveryDto, ForwardingSettingsDto } from '../../client/types.gen';
import { number } from '../../shared/format';
import type { Condition } from '../../shared/state';
import { t } from '../../texts/texts';

export function outcomeCondition(outcome: DeliveryDto['outcome']): Condition {
  return outcome === 'delivered' ? 'good' : outcome === 'failed' ? 'bad' : 'off';
}

/** Why an attempt failed: in English the API's own sentence, elsewhere what its category is called. */
export function failureSentence(failure: {
  reason: string | null;
  category: string | null;
  httpStatus: number | null;
}): string {
  const named = t.deliveries.categories[failure.category as keyof typeof t.deliveries.categories];
  return t.deliveries.failedFor(failure.reason ?? t.deliveries.failed, named, failure.httpStatus);
}

/** Failures that say nothing of the receiver. */
const OURS = ['worker_lost', 'configuration'];

/** Why records are held: the receiver's latest failure, updated by each probe. */
export function heldSentence({
  heldReason,
  lastFailure,
}: Pick<ForwardingSettingsDto, 'heldReason' | 'lastFailure'>): string {
  return lastFailure && !OURS.includes(lastFailure.category ?? '')
    ? failureSentence(lastFailure)
    : t.health.heldFor(heldReason ?? t.deliveries.failed);
}

/** What happened in an attempt, as a sentence. */
export function outcomeSentence(delivery: DeliveryDto): string {
  const { outcome, reason, httpStatus, host, durationMs } = delivery;
  if (outcome === 'skipped')
    return t.skipReasons[reason as keyof typeof t.skipReasons] ?? t.deliveries.skipped(reason ?? '');
  if (outcome === 'failed') return failureSentence(delivery);
  return t.deliveries.delivered(host ?? '', httpStatus ?? 0, number(durationMs));
}
