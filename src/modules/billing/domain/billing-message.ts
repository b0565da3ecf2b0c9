import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import type { NewOutboxMessage, OutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { type BackOff, backOffMs } from '../../../platform/time/back-off.js';
import type { StripeEvent } from './stripe-event.js';

/** Topic of the message that is written with a handled event. */
export const BILLING_EVENT = 'billing.event';

/** The members of an event that determine its message's ordering key. */
export type EventKey = Pick<StripeEvent, 'id' | 'subscriptionId' | 'customerId'>;

/** The message about an event; events of one subscription are claimed in order. */
export function messageOf({ id, subscriptionId, customerId }: EventKey): NewOutboxMessage {
  return {
    orderingKey: namedKey(`billing:${subscriptionId ?? customerId ?? id}`),
    // Often not known yet; the event stores it later.
    projectId: null,
    topic: BILLING_EVENT,
    subjectId: namedKey(`billing-event:${id}`),
    payload: { eventId: id },
  };
}

/** @throws Error if the message names no event, a bug of its producer. */
export function eventIdOf({ payload }: Pick<OutboxMessage, 'payload'>): string {
  const eventId = payload?.['eventId'];
  if (typeof eventId !== 'string') throw new Error(`a message of ${BILLING_EVENT} names no event`);
  return eventId;
}

/** Attempts of a message, including the current one; one that ended without an outcome counts too. */
export function attemptsOf({ failures, abandonedAttempts }: OutboxMessage): number {
  return failures + abandonedAttempts + 1;
}

/** Claims of one event; then it is dead, and an operator decides. */
export const EVENT_ATTEMPTS_MAX = 12;
/** Claims of an event whose project is unknown: the event that names it follows within seconds, or never. */
export const UNMAPPED_ATTEMPTS_MAX = 6;
/** Claims of an end that the provider's response does not show yet: after two minutes it needs attention. */
export const STILL_ALIVE_ATTEMPTS_MAX = 5;

const BACK_OFF: BackOff = { baseMs: 2_000, factor: 3, longestMs: 60 * 60_000 };

/** The wait after the n-th attempt: 2 s, 6 s, 18 s … one hour at most, five hours in all. */
export function eventRetryDelayMs(attempts: number): number {
  return backOffMs(attempts, BACK_OFF);
}
