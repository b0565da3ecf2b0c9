import { idOf, instantOf, type JsonObject, objectOf, textOf } from './json.js';
import { readInvoice } from './stripe-invoice.js';

/** What has to be done about an event. */
export type EventAction =
  /** Bring the subscription up to date; without one (a payment of its own) there is nothing to do. */
  | 'sync'
  /** Bring all subscriptions of a customer up to date, and forget the customer. */
  | 'forget_customer'
  /** Keep it, for people to look at; it changes nothing. */
  | 'audit';

/** Every event type that means something to the service; all others are stored as ignored. */
const EVENT_ACTIONS: Readonly<Record<string, EventAction>> = {
  'customer.subscription.created': 'sync',
  'customer.subscription.updated': 'sync',
  'customer.subscription.deleted': 'sync',
  'customer.subscription.paused': 'sync',
  'customer.subscription.resumed': 'sync',
  'customer.subscription.pending_update_applied': 'sync',
  'customer.subscription.pending_update_expired': 'sync',
  'customer.subscription.trial_will_end': 'sync',
  'checkout.session.completed': 'sync',
  'checkout.session.async_payment_succeeded': 'sync',
  'checkout.session.async_payment_failed': 'sync',
  'checkout.session.expired': 'sync',
  'invoice.paid': 'sync',
  'invoice.payment_failed': 'sync',
  'invoice.payment_action_required': 'sync',
  'invoice.finalization_failed': 'sync',
  'invoice.marked_uncollectible': 'sync',
  'invoice.overdue': 'sync',
  'customer.deleted': 'forget_customer',
  'charge.dispute.created': 'audit',
  'charge.refunded': 'audit',
};

/** An event of the provider, as far as the service reads it. */
export interface StripeEvent {
  id: string;
  type: string;
  createdAt: Date;
  /** What the event is about. */
  object: JsonObject;
  /** What stood before in the members that a change has changed; null where the event tells of no change. */
  previous: JsonObject | null;
  /** Whether it is about real money; null where it does not say. */
  livemode: boolean | null;
  /** Null where the event names none. */
  objectId: string | null;
  subscriptionId: string | null;
  customerId: string | null;
}

/** What to do about a type; null: nothing. */
export function actionFor(type: string): EventAction | null {
  // The type comes from outside: `constructor` is none.
  return Object.hasOwn(EVENT_ACTIONS, type) ? (EVENT_ACTIONS[type] ?? null) : null;
}

/** Whether an event is about test data where the key is for real money, or the other way round. */
export function isOfOtherMode({ livemode }: StripeEvent, secretKey: string): boolean {
  const mode = /^[sr]k_(live|test)_/.exec(secretKey)?.[1];
  return mode !== undefined && livemode !== null && livemode !== (mode === 'live');
}

const EVENT_TYPE = /^[\w.]{1,100}$/;

/** Reads an event, whatever the API version; null where it is none. */
export function readEvent(payload: unknown): StripeEvent | null {
  const event = objectOf(payload);
  const data = objectOf(event?.data);
  const object = objectOf(data?.object);
  const id = idOf(event?.id);
  const type = textOf(event?.type);
  const createdAt = instantOf(event?.created);
  if (!object || id === null || type === null || !EVENT_TYPE.test(type) || createdAt === null) return null;
  return {
    id,
    type,
    createdAt,
    object,
    previous: objectOf(data?.previous_attributes),
    livemode: typeof event?.livemode === 'boolean' ? event.livemode : null,
    objectId: idOf(object.id),
    subscriptionId: subscriptionIdOf(type, object),
    customerId:
      type.startsWith('customer.') && object.object === 'customer' ? idOf(object.id) : idOf(object.customer),
  };
}

/** The project that a checkout was made for, as the session tells it; null where it tells none. */
export function projectOfSession(session: JsonObject): string | null {
  return projectInMetadata(session.metadata) ?? textOf(session.client_reference_id);
}

/** We write `projectId`; people who make subscriptions by hand also write it as below. */
export function projectInMetadata(metadata: unknown): string | null {
  const entries = objectOf(metadata);
  return textOf(entries?.projectId) ?? textOf(entries?.project_id);
}

function subscriptionIdOf(type: string, object: JsonObject): string | null {
  if (type.startsWith('customer.subscription.')) return idOf(object.id);
  if (type.startsWith('invoice.')) return readInvoice(object)?.subscriptionId ?? null;
  if (type.startsWith('checkout.session.')) return idOf(object.subscription);
  return null;
}
