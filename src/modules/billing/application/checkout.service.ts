import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isTerminal, LIVE_STATUSES } from '../domain/stripe-subscription.js';
import { CheckoutStore, type OpenCheckout, type Purpose } from '../infrastructure/checkout.store.js';
import { StripeGateway } from '../infrastructure/stripe-gateway.js';

/** Two clicks within this time are one checkout. */
const CHECKOUT_WINDOW_MS = 10 * 60_000;
/** A checkout that is being created for longer belongs to a crashed process. */
const MAKING_MS = 90_000;
/** Another request may claim the checkout after this one has closed the older session. */
const CLAIMS_MAX = 3;
const RETRY_AFTER_SECONDS = 5;

/** A requested checkout, with the target of its page. */
export interface CheckoutOptions extends Purpose {
  projectId: string;
  successUrl: string;
  cancelUrl: string;
}

/**
 * Opens a checkout and ensures that the project has no second open one: both could be paid, and
 * both would be charged. A claim is stored in a transaction before Stripe is called; an older
 * session is closed at Stripe before a new one is created.
 */
@Injectable()
export class CheckoutService {
  constructor(
    private readonly store: CheckoutStore,
    private readonly stripe: StripeGateway,
  ) {}

  /**
   * The URL of the page, or null if the project has a live subscription, at Stripe or here.
   *
   * @throws DomainError `checkout_in_progress`, and any error of Stripe.
   */
  async open(request: CheckoutOptions): Promise<string | null> {
    const { projectId, customerId, priceId, subscriptions } = request;
    const purpose = { priceId, customerId, subscriptions };
    let closed: string | null = null;
    for (let attempt = 0; attempt < CLAIMS_MAX; attempt += 1) {
      const claim = await this.store.claim(projectId, purpose, { closed, sameMs: CHECKOUT_WINDOW_MS });
      if (claim.kind === 'subscribed') return null;
      if (claim.kind === 'claimed') {
        // Its webhook may not have arrived yet.
        if (await this.has(customerId, (status) => LIVE_STATUSES.includes(status))) return null;
        const { idempotencyKey } = claim;
        const session = await this.stripe.createCheckout({ ...request, idempotencyKey });
        await this.store.keepSession(projectId, idempotencyKey, session.id);
        return session.url;
      }
      // After a payment, a subscription that is still being set up counts too.
      const paid = (await this.close(request, claim.by)) === 'complete';
      if (paid && (await this.has(customerId, (status) => !isTerminal(status)))) return null;
      closed = claim.by.idempotencyKey;
    }
    throw inProgress();
  }

  private async close(request: CheckoutOptions, open: OpenCheckout): Promise<'closed' | 'complete'> {
    if (open.sessionId !== null) return this.stripe.closeCheckout(open.sessionId);
    if (open.ageMs < MAKING_MS) throw inProgress();
    // The process that created it crashed before it stored the session; the same key returns that
    // session.
    const session = await this.stripe.createCheckout({ ...request, ...open });
    return this.stripe.closeCheckout(session.id);
  }

  private async has(customerId: string, matches: (status: string) => boolean): Promise<boolean> {
    return (await this.stripe.subscriptionsOf(customerId)).some(({ status }) => matches(status));
  }
}

function inProgress(): DomainError {
  return new DomainError(
    'checkout_in_progress',
    'Another checkout for this project is being opened. Try again shortly.',
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );
}
