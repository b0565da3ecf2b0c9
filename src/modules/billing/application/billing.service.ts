import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { resolveBaseUrl } from '../../../platform/network/base-url.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { writeAudit } from '../../audit/audit.log.js';
import type { AuditAction, AuditedState } from '../../audit/domain/audit-event.js';
import type { Author } from '../../audit/domain/author.js';
import type { Subscription } from '../../licensing/domain/subscription.js';
import type { PaidTier, ResolvedTier } from '../../licensing/domain/tier.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { subscriptionsOf } from '../../licensing/subscription.rows.js';
import type { Project } from '../../projects/domain/project.js';
import { lockProject } from '../../projects/project.rows.js';
import { projectNotFound } from '../../projects/project.service.js';
import { isLiveAtStripe, isTerminal, LIVE_STATUSES } from '../domain/stripe-subscription.js';
import { STRIPE } from '../infrastructure/billing-event.store.js';
import { BillingCustomer } from '../infrastructure/billing.entities.js';
import { CheckoutStore, type OpenCheckout, type Purpose } from '../infrastructure/checkout.store.js';
import { PriceList } from '../infrastructure/price-list.js';
import { isProviderError, StripeGateway, toStripeRefusal } from '../infrastructure/stripe-gateway.js';
import { SubscriptionSync } from './subscription-sync.js';

/** Two clicks within this time are one checkout. */
const CHECKOUT_WINDOW_MS = 10 * 60_000;
/** A checkout that is being created for longer belongs to a crashed process. */
const MAKING_MS = 90_000;
/** Another request may claim the checkout after this one has closed the older session. */
const CLAIMS_MAX = 3;
const RETRY_AFTER_SECONDS = 5;

/** A requested checkout, with the target of its page. */
interface CheckoutOptions extends Purpose {
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

/** A project's plan, for its members. */
export interface BillingState {
  resolved: ResolvedTier;
  /** The one that grants the tier, or else the most recently changed one. */
  subscription: Subscription | null;
  /** Subscriptions at the provider that are paid for, or may become so. */
  liveSubscriptions: number;
  billingAvailable: boolean;
}

/** Plan actions for members of a project. */
@Injectable()
export class BillingService {
  private readonly logger = new Logger(BillingService.name);

  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
    private readonly stripe: StripeGateway,
    private readonly prices: PriceList,
    private readonly checkouts: CheckoutService,
    private readonly subscriptions: SubscriptionSync,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  async read(project: Project, now: Date): Promise<BillingState> {
    const resolved = await this.licensing.fromSubscriptions(project, undefined, now);
    const rows = await subscriptionsOf(this.em.fork(), project.id);
    return {
      resolved,
      subscription: rows.find(({ id }) => id === resolved.subscriptionId) ?? rows[0] ?? null,
      liveSubscriptions: rows.filter(isLiveAtStripe).length,
      billingAvailable: this.stripe.configured,
    };
  }

  /**
   * The URL of a Checkout page, the only open one of the project. A project gets one customer.
   * @throws DomainError `subscription_exists` with `portalUrl`, `checkout_in_progress`,
   * `billing_not_configured`, `billing_provider_unavailable`.
   */
  async checkout(
    project: Project,
    requested: { tier: PaidTier; interval: 'month' | 'year' },
    author: Author,
  ): Promise<string> {
    this.requireConfigured();
    const priceId = this.prices.sold(requested.tier, requested.interval);
    if (priceId === undefined)
      throw new DomainError(
        'billing_not_configured',
        `No price is configured for ${requested.tier} per ${requested.interval}. The operator must add it to STRIPE_PRICES.`,
      );
    const { tier, interval } = requested;
    await this.note(author, project, 'billing.checkout', { tier, interval });
    try {
      const customerId = await this.customerOf(project.id);
      const known = await subscriptionsOf(this.em.fork(), project.id);
      const subscriptions = known.filter(({ provider }) => provider === STRIPE).length;
      const request = {
        projectId: project.id,
        customerId,
        priceId,
        subscriptions,
        successUrl: this.returnUrl(project.id, 'success'),
        cancelUrl: this.returnUrl(project.id, 'canceled'),
      };
      const url = await this.checkouts.open(request);
      if (url === null) throw await this.subscriptionExists(project.id, customerId);
      return url;
    } catch (error) {
      throw this.toRefusal(error);
    }
  }

  /** The URL of the customer portal. @throws DomainError `no_billing_customer`, and as `checkout`. */
  async portal(project: Project, author: Author): Promise<string> {
    this.requireConfigured();
    const customerId = await this.knownCustomerOf(project.id);
    if (customerId === null)
      throw new DomainError('no_billing_customer', 'This project has no purchases. Start a checkout first.');
    await this.note(author, project, 'billing.portal');
    try {
      return await this.stripe.createPortal(customerId, this.returnUrl(project.id, 'portal'));
    } catch (error) {
      throw this.toRefusal(error);
    }
  }

  /** Fetches every subscription of the project's customer from Stripe, and returns the same as `read`. */
  async sync(project: Project, author: Author, now: Date): Promise<BillingState> {
    this.requireConfigured();
    const customerId = await this.knownCustomerOf(project.id);
    try {
      const found = customerId === null ? [] : await this.stripe.subscriptionsOf(customerId);
      for (const { id } of found) await this.subscriptions.sync(id, { reason: 'sync', author });
    } catch (error) {
      throw this.toRefusal(error);
    }
    return this.read(project, now);
  }

  /** Written before the call to Stripe, which cannot be undone if writing fails. */
  private note(
    author: Author,
    { id: projectId }: Project,
    action: AuditAction,
    after: AuditedState = {},
  ): Promise<void> {
    return this.em.fork().transactional((tx) => writeAudit(tx, author, { projectId, action, after }));
  }

  /** The caller gets the failure; the operator also gets the cause. */
  private toRefusal(error: unknown): unknown {
    if (isProviderError(error)) this.logger.error({ err: error }, 'the billing provider rejected a request');
    return toStripeRefusal(error);
  }

  private requireConfigured(): void {
    if (this.stripe.configured) return;
    throw new DomainError(
      'billing_not_configured',
      'Billing is not set up on this service: STRIPE_SECRET_KEY is not set.',
    );
  }

  private async subscriptionExists(projectId: string, customerId: string): Promise<DomainError> {
    const portalUrl = await this.stripe.createPortal(customerId, this.returnUrl(projectId, 'portal'));
    return new DomainError(
      'subscription_exists',
      'This project already has a subscription. Change it in the customer portal.',
      { members: { portalUrl } },
    );
  }

  /**
   * The project's customer, created if missing. With the idempotency key, two concurrent calls get
   * the same customer from Stripe, even if the first one crashed before it could store it.
   */
  private async customerOf(projectId: string): Promise<string> {
    const known = await this.knownCustomerOf(projectId);
    if (known !== null) return known;
    const { generation } = await this.keepCustomer(projectId);
    const made = await this.stripe.createCustomer(projectId, `customer:${projectId}:${generation}`);
    return (await this.keepCustomer(projectId, made)).customerId ?? made;
  }

  /** The project's row, created if missing; an id that is stored already stays. */
  private keepCustomer(projectId: string, customerId: string | null = null): Promise<BillingCustomer> {
    return this.em.fork().transactional(async (tx) => {
      if (!(await lockProject(tx, projectId))) throw projectNotFound();
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const customer =
        (await tx.findOne(BillingCustomer, { projectId }, lock)) ?? tx.create(BillingCustomer, { projectId });
      customer.customerId ??= customerId;
      return customer;
    });
  }

  /** The customer of an earlier checkout, or of a subscription that was created in another way. */
  private async knownCustomerOf(projectId: string): Promise<string | null> {
    const em = this.em.fork();
    const customer = await em.findOne(BillingCustomer, { projectId });
    // A customer that was deleted at Stripe no longer counts, even if old subscriptions name it.
    if (customer) return customer.customerId ?? null;
    const own = (await subscriptionsOf(em, projectId)).filter(
      ({ provider, customerId }) => provider === STRIPE && customerId !== null,
    );
    const newest = own.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())[0];
    return newest?.customerId ?? null;
  }

  private returnUrl(projectId: string, from: string): string {
    return `${resolveBaseUrl(this.service)}/projects/${projectId}/billing?from=${from}`;
  }
}
