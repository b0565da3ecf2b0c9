import type { NewOutboxMessage, OutboxMessage } from '../../outbox/domain/outbox-message.js';
import { namedKey } from '../../outbox/domain/ordering-key.js';
import type { StripeEvent } from './stripe-event.js';

/** Topic of the message that is written with an event that is to be worked through. */
export const BILLING_EVENT = 'billing.event';

/** The members of an event that its message is addressed by. */
export type EventKey = Pick<StripeEvent, 'id' | 'subscriptionId' | 'customerId'>;

/** The message about an event; events of one subscription are claimed in their order. */
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

/** @throws Error where the message names no event, a bug of its producer. */
export function eventIdOf({ payload }: Pick<OutboxMessage, 'payload'>): string {
  const eventId = payload?.['eventId'];
  if (typeof eventId !== 'string') throw new Error(`a message of ${BILLING_EVENT} names no event`);
  return eventId;
}

/** Attempts of a message, the one under way included; one that ended without an outcome counts too. */
export function attemptsOf({ failures, abandonedAttempts }: OutboxMessage): number {
  return failures + abandonedAttempts + 1;
}
