import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { subscriptionsOfCustomer } from '../../licensing/subscription.rows.js';
import type {
  Attempt,
  AttemptResult,
  Failure,
  OutboxMessage,
  RetrySchedule,
  Settled,
} from '../../../platform/outbox/domain/outbox-message.js';
import type { OutboxHandler } from '../../../platform/outbox/outbox.handler.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { isConnectionFailure } from '../../../platform/database/postgres-error.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type ServiceSettings, serviceSettings } from '../../../platform/settings/service.settings.js';
import { withoutKeys } from '../../../platform/secrets/without-keys.js';
import {
  attemptsOf,
  BILLING_EVENT,
  EVENT_ATTEMPTS_MAX,
  eventIdOf,
  eventRetryDelayMs,
  STILL_ALIVE_ATTEMPTS_MAX,
  UNMAPPED_ATTEMPTS_MAX,
} from '../domain/billing-message.js';
import { actionFor, projectOfSession, type StripeEvent } from '../domain/stripe-event.js';
import { BillingCustomer } from '../infrastructure/billing.entities.js';
import { BillingEventStore, OTHER_CELL, STRIPE } from '../infrastructure/billing-event.store.js';
import { BillingMetrics } from '../infrastructure/billing.metrics.js';
import { describeProviderError, isProviderError } from '../infrastructure/stripe-gateway.js';
import { SubscriptionSync, type SyncResult } from './subscription-sync.js';

/** Concurrent events of one worker; Stripe allows 100 requests a second. */
const SLOTS = 8;
/** Upper bound of a Stripe request, retries included. */
const ATTEMPT_MAX_MS = 30_000;
/** Subscriptions of one customer that are synced when the customer is deleted. */
const CUSTOMER_SUBSCRIPTIONS_MAX = 100;

/**
 * The outcome of an event: a stable code and a sentence, null on success, and the project once it is known.
 */
export interface EventOutcome {
  code: string | null;
  error: string | null;
  projectId: string | null;
  /** Whether the event is about a project of another cell. */
  ignored?: boolean;
}

/** The result of processing one event. */
type Verdict =
  | { kind: 'done'; projectId: string | null; note: string | null }
  /** About a project of another cell, whose endpoint gets the event too. */
  | { kind: 'ignored' }
  | { kind: 'retry'; code: string; error: string; attemptsMax: number }
  | { kind: 'dead'; code: string; error: string; projectId: string | null };

/**
 * The event reports an end that the provider's response does not show yet; the response may come
 * from a lagging replica.
 */
const STILL_ALIVE: Verdict = {
  kind: 'retry',
  code: 'still_alive',
  error: 'The event says the subscription has ended, but Stripe still reports it as active.',
  attemptsMax: STILL_ALIVE_ATTEMPTS_MAX,
};

/**
 * The outbox handler for `billing.event`. An event may be processed twice, here or in another
 * worker: the effect is the same, and only the holder of the lease writes the outcome.
 */
@Injectable()
export class BillingEventHandler implements OutboxHandler<EventOutcome>, OnModuleInit {
  readonly topics = [BILLING_EVENT];
  readonly slotsMax = SLOTS;
  readonly attemptMaxMs = ATTEMPT_MAX_MS;
  readonly retry: RetrySchedule = {
    failuresMax: EVENT_ATTEMPTS_MAX,
    abandonedAttemptsMax: EVENT_ATTEMPTS_MAX,
    delayMs: eventRetryDelayMs,
  };
  private readonly logger = new Logger(BillingEventHandler.name);

  constructor(
    private readonly em: EntityManager,
    private readonly store: BillingEventStore,
    private readonly subscriptions: SubscriptionSync,
    private readonly metrics: BillingMetrics,
    private readonly outbox: OutboxService,
    @InjectSettings(serviceSettings) private readonly service: ServiceSettings,
  ) {}

  onModuleInit(): void {
    this.outbox.register(this);
  }

  async prepare(messages: OutboxMessage[]): Promise<Attempt<EventOutcome>[]> {
    const events = await this.store.open(messages.map(eventIdOf));
    return messages.map((message) => {
      const event = events.get(eventIdOf(message));
      return () => (event ? this.attempt(message, event) : Promise.resolve(NOTHING_LEFT));
    });
  }

  async settle(tx: EntityManager, settled: Settled<EventOutcome>[]): Promise<void> {
    for (const { message, outcome } of settled) {
      const attempts = attemptsOf(message);
      const status = outcome.ignored ? 'ignored' : 'processed';
      const type = await this.store.write(tx, eventIdOf(message), { ...outcome, status, attempts });
      if (type !== null) this.metrics.count(type, status);
    }
  }

  discard(): AttemptResult<EventOutcome> {
    return dead({
      code: 'worker_lost',
      error: 'The service was interrupted on every attempt.',
      projectId: null,
    });
  }

  /** An event is pending or dead exactly when its message is. */
  async failed(
    tx: EntityManager,
    message: OutboxMessage,
    { kind, error: thrown, outcome }: Failure<EventOutcome>,
  ): Promise<void> {
    const eventId = eventIdOf(message);
    const { code, error, projectId } = outcome ?? {
      code: 'failed',
      error: withoutKeys(thrown),
      projectId: null,
    };
    const attempts = attemptsOf(message);
    const status = kind === 'retry' ? 'pending' : 'dead';
    const type = await this.store.write(tx, eventId, { status, attempts, code, error, projectId });
    if (type === null) return;
    this.metrics.count(type, kind === 'retry' ? 'retried' : 'dead');
    if (kind === 'retry')
      this.logger.warn({ eventId, type, code, error, attempts }, 'retrying a billing event');
    else
      this.metrics.alert(code ?? 'failed', `dead-lettered a billing event: ${error}`, {
        eventId,
        type,
        projectId,
      });
  }

  private async attempt(message: OutboxMessage, event: StripeEvent): Promise<AttemptResult<EventOutcome>> {
    const verdict = await this.workOn(event).catch((error: unknown): Verdict => {
      // Provider failures count as attempts of the event. The outbox retries after database failures.
      if (!isProviderError(error) && isConnectionFailure(error)) throw error;
      return {
        kind: 'retry',
        code: 'failed',
        error: withoutKeys(describeProviderError(error)),
        attemptsMax: EVENT_ATTEMPTS_MAX,
      };
    });
    const attempts = attemptsOf(message);
    switch (verdict.kind) {
      case 'done':
        return {
          kind: 'settled',
          outcome: { code: verdict.note, error: null, projectId: verdict.projectId },
          healthy: true,
        };
      case 'ignored':
        return {
          kind: 'settled',
          outcome: { code: OTHER_CELL, error: null, projectId: null, ignored: true },
          healthy: true,
        };
      case 'retry': {
        const { code, error, attemptsMax } = verdict;
        const outcome = { code, error, projectId: null };
        if (attempts >= attemptsMax) return dead(outcome);
        return { kind: 'retry', afterMs: eventRetryDelayMs(attempts), error: `${code}: ${error}`, outcome };
      }
      case 'dead':
        return dead({ code: verdict.code, error: verdict.error, projectId: verdict.projectId });
    }
  }

  private async workOn(event: StripeEvent): Promise<Verdict> {
    switch (actionFor(event.type)) {
      case 'sync':
        return this.syncOf(event);
      case 'forget_customer':
        return this.forgetCustomer(event);
      case 'audit': {
        const projectId = await this.projectOfCustomer(event.customerId);
        if (projectId === null && this.hasOtherCells) return { kind: 'ignored' };
        return { kind: 'done', projectId, note: 'audit_only' };
      }
      default:
        return { kind: 'done', projectId: null, note: 'nothing_to_do' };
    }
  }

  private async syncOf(event: StripeEvent): Promise<Verdict> {
    // A one-off payment, or a checkout that did not lead to a subscription.
    if (event.subscriptionId === null) return { kind: 'done', projectId: null, note: 'no_subscription' };
    const cause = { reason: 'billing', eventId: event.id };
    const result = await this.subscriptions.sync(event.subscriptionId, cause);
    if (event.type === 'customer.subscription.deleted' && result.kind === 'written' && !result.ended)
      return STILL_ALIVE;
    // A session is not enough without its subscription's own event; that event finds the session.
    if (
      result.kind === 'unmapped' &&
      event.type.startsWith('checkout.session.') &&
      projectOfSession(event.object)
    ) {
      return { kind: 'done', projectId: null, note: 'kept_for_its_subscription' };
    }
    if (await this.isOfOtherCell(event.subscriptionId, result)) return { kind: 'ignored' };
    return toVerdict(result);
  }

  private get hasOtherCells(): boolean {
    return this.service.cells.length > 1;
  }

  /**
   * Whether a subscription names a project that this cell does not have, and was never written here.
   * One that was is of a deleted project, which needs an operator.
   */
  private async isOfOtherCell(subscriptionId: string, result: SyncResult): Promise<boolean> {
    if (!this.hasOtherCells || result.kind !== 'refused' || result.code !== 'project_unknown') return false;
    if (result.projectId === null) return false;
    return !(await this.store.wasWritten(subscriptionId));
  }

  /** Stripe cancels the subscriptions of a deleted customer; the next checkout creates a new customer. */
  private async forgetCustomer(event: StripeEvent): Promise<Verdict> {
    const { customerId } = event;
    if (customerId === null) return { kind: 'done', projectId: null, note: 'nothing_to_do' };
    const em = this.em.fork();
    const customer = { provider: STRIPE, customerId, limit: CUSTOMER_SUBSCRIPTIONS_MAX };
    const rows = await subscriptionsOfCustomer(em, customer);
    const cause = { reason: 'billing', eventId: event.id };
    const verdicts: Verdict[] = [];
    for (const { externalId } of rows) {
      const result = await this.subscriptions.sync(externalId, cause);
      verdicts.push(result.kind === 'written' && !result.ended ? STILL_ALIVE : toVerdict(result));
    }
    const isOurs = await em.transactional(async (tx) => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
      const customers = await tx.find(BillingCustomer, { customerId }, lock);
      for (const deleted of customers) {
        deleted.customerId = null;
        deleted.generation += 1;
      }
      return customers.length > 0;
    });
    if (rows.length === 0 && !isOurs && this.hasOtherCells) return { kind: 'ignored' };
    const worst =
      verdicts.find(({ kind }) => kind === 'dead') ?? verdicts.find(({ kind }) => kind === 'retry');
    return worst ?? { kind: 'done', projectId: rows[0]?.projectId ?? null, note: null };
  }

  private async projectOfCustomer(customerId: string | null): Promise<string | null> {
    if (customerId === null) return null;
    const [row] = await subscriptionsOfCustomer(this.em.fork(), { provider: STRIPE, customerId, limit: 1 });
    return row?.projectId ?? null;
  }
}

/** The event is deleted, or another worker has processed it. */
const NOTHING_LEFT: AttemptResult<EventOutcome> = {
  kind: 'settled',
  outcome: { code: null, error: null, projectId: null },
  healthy: true,
};

function dead(outcome: EventOutcome): AttemptResult<EventOutcome> {
  return { kind: 'dead', error: `${outcome.code}: ${outcome.error}`, outcome };
}

function toVerdict(result: SyncResult): Verdict {
  switch (result.kind) {
    case 'written':
      return { kind: 'done', projectId: result.projectId, note: null };
    case 'superseded':
      return { kind: 'done', projectId: result.projectId, note: 'superseded' };
    case 'unmapped':
      return {
        kind: 'retry',
        code: 'project_unknown',
        error: 'No row, metadata, or checkout session identifies the project.',
        attemptsMax: UNMAPPED_ATTEMPTS_MAX,
      };
    case 'refused':
      return { kind: 'dead', code: result.code, error: result.sentence, projectId: result.projectId };
  }
}
