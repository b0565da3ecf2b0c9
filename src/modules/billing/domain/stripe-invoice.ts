import { asId, asInstant, type JsonObject, asObject, asText } from './json.js';

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
