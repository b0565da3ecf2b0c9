import type { NewOutboxMessage, OutboxMessage } from '../../../platform/outbox/domain/outbox-message.js';
import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
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

/**
 * Attempts of a message, including the current one; one that ended without an outcome counts too.
 */
export function attemptsOf({ failures, abandonedAttempts }: OutboxMessage): number {
  return failures + abandonedAttempts + 1;
}
