import { asId, asInstant, asObject, asText, type JsonObject } from './json.js';

/** The action that an event requires. */
export type EventAction =
  /** Sync the subscription. An event without one (a one-off payment) needs nothing. */
  | 'sync'
  /** Sync all subscriptions of a customer, and delete the customer. */
  | 'forget_customer'
  /** Store it for inspection; it changes nothing. */
  | 'audit';

/** Every event type that the service handles; all others are stored as ignored. */
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

/** The members of an event that the service reads. */
export interface StripeEvent {
  id: string;
  type: string;
  createdAt: Date;
  /** The object of the event. */
  object: JsonObject;
  /** The previous values of changed members; null where the event reports no change. */
  previous: JsonObject | null;
  /** Live mode (real money); null if the event does not contain it. */
  livemode: boolean | null;
  /** Null: the event has none. */
  objectId: string | null;
  subscriptionId: string | null;
  customerId: string | null;
}

/** The action for a type; null: the event is ignored. */
export function actionFor(type: string): EventAction | null {
  // The type is external input, so `constructor` must not match.
  return Object.hasOwn(EVENT_ACTIONS, type) ? (EVENT_ACTIONS[type] ?? null) : null;
}

/** Whether an event is about test data while the key is for real money, or the reverse. */
export function isOfOtherMode({ livemode }: StripeEvent, secretKey: string): boolean {
  const mode = /^[sr]k_(live|test)_/.exec(secretKey)?.[1];
  return mode !== undefined && livemode !== null && livemode !== (mode === 'live');
}

export const EVENT_TYPE = /^[\w.]{1,100}$/;

/** Reads an event of any API version; null: it is invalid. */
export function readEvent(payload: unknown): StripeEvent | null {
  const event = asObject(payload);
  const data = asObject(event?.data);
  const object = asObject(data?.object);
  const id = asId(event?.id);
  const type = asText(event?.type);
  const createdAt = asInstant(event?.created);
  if (!object || id === null || type === null || !EVENT_TYPE.test(type) || createdAt === null) return null;
  return {
    id,
    type,
    createdAt,
    object,
    previous: asObject(data?.previous_attributes),
    livemode: typeof event?.livemode === 'boolean' ? event.livemode : null,
    objectId: asId(object.id),
    subscriptionId: subscriptionIdOf(type, object),
    customerId:
      type.startsWith('customer.') && object.object === 'customer' ? asId(object.id) : asId(object.customer),
  };
}

/** The project in a checkout session; null: the session names none. */
export function projectOfSession(session: JsonObject): string | null {
  return projectInMetadata(session.metadata) ?? asText(session.client_reference_id);
}

/** The service writes `projectId`; people who create subscriptions by hand also use the names below. */
export function projectInMetadata(metadata: unknown): string | null {
  const entries = asObject(metadata);
  return asText(entries?.projectId) ?? asText(entries?.project_id);
}

function subscriptionIdOf(type: string, object: JsonObject): string | null {
  if (type.startsWith('customer.subscription.')) return asId(object.id);
  if (type.startsWith('invoice.')) return readInvoice(object)?.subscriptionId ?? null;
  if (type.startsWith('checkout.session.')) return asId(object.subscription);
  return null;
}

/** The members of an invoice that a subscription's status depends on. */
export interface StripeInvoice {
  id: string | null;
  subscriptionId: string | null;
  /** `draft`, `open`, `paid`, `uncollectible`, `void`, or an unknown value. */
  status: string | null;
  /**
   * Since when it is overdue, if it is: its due date, else the time of its first collection. Taken
   * from the invoice, so that a replay has the same result.
   */
  dueAt: Date | null;
  /** Whether it is the first one of its subscription. */
  isFirst: boolean;
}

/** Reads an invoice of the current API or of one before 2025; null for a bare id or a missing value. */
export function readInvoice(value: unknown): StripeInvoice | null {
  const invoice = asObject(value);
  if (!invoice) return null;
  const finalizedAt = asInstant(asObject(invoice.status_transitions)?.finalized_at);
  return {
    id: asId(invoice.id),
    subscriptionId: subscriptionOf(invoice),
    status: asText(invoice.status),
    dueAt: asInstant(invoice.due_date) ?? finalizedAt ?? asInstant(invoice.created),
    isFirst: invoice.billing_reason === 'subscription_create',
  };
}

/** Under `parent` since API 2025-03-31, on the invoice itself before. */
function subscriptionOf(invoice: JsonObject): string | null {
  const details = asObject(asObject(invoice.parent)?.subscription_details);
  return asId(details?.subscription) ?? asId(invoice.subscription);
}
