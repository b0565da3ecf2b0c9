import type { DeliveryDto } from '../../client/types.gen';
import type { Condition } from '../../shared/state';
import { t } from '../../texts/texts';

export function outcomeCondition(outcome: DeliveryDto['outcome']): Condition {
  return outcome === 'delivered' ? 'good' : outcome === 'failed' ? 'bad' : 'off';
}

/** What happened in an attempt, as a sentence. */
export function outcomeSentence({ outcome, reason, httpStatus, host, durationMs }: DeliveryDto): string {
  if (outcome === 'skipped')
    return t.skipReasons[reason as keyof typeof t.skipReasons] ?? t.deliveries.skipped(reason ?? '');
  if (outcome === 'failed') return reason ?? t.deliveries.failed;
  return t.deliveries.delivered(host ?? '', httpStatus ?? 0, durationMs);
}
