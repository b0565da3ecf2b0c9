import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { subscriptionsOfCustomer } from '../../licensing/subscription.rows.js';
import { newId } from '../../shared/ids.js';
import { isConnectionFailure } from '../../shared/postgres-error.js';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { withoutKeys } from '../../shared/without-keys.js';
import {
  EVENT_ATTEMPTS_MAX,
  retryDelayMs,
  STILL_ALIVE_ATTEMPTS_MAX,
  UNMAPPED_ATTEMPTS_MAX,
} from '../domain/retry-delay.js';
import { planOf, projectOfSession, type StripeEvent } from '../domain/stripe-event.js';
import { BillingEventStore, type HeldEvent, STRIPE } from '../infrastructure/billing-event.store.js';
import { BillingMetrics } from '../infrastructure/billing.metrics.js';
import { describeProviderError, isProviderError } from '../infrastructure/stripe-gateway.js';
import { SubscriptionSync, type SyncResult } from './subscription-sync.js';

/** Events under way at once in one worker; Stripe allows 100 requests a second. */
const SLOTS = 8;
const CLAIM_RETRY_MS = 500;
/** Subscriptions of one customer that are looked at when the customer is deleted. */
const CUSTOMER_SUBSCRIPTIONS_MAX = 100;

/** What came of one event. */
type Verdict =
  | { kind: 'done'; projectId: string | null; note: string | null }
  | { kind: 'retry'; code: string; error: string; attemptsMax: number }
  | { kind: 'dead'; code: string; error: string; projectId: string | null };

/** An end was told, and the provider's answer does not know of it yet: it may come from a copy that lags behind. */
const STILL_ALIVE: Verdict = {
  kind: 'retry',
  code: 'still_alive',
  error: 'The event says that the subscription has ended, and Stripe still answers that it has not.',
  attemptsMax: STILL_ALIVE_ATTEMPTS_MAX,
};

/**
 * Works through the inbox of events. It is rung (by the queue, by the heartbeat); two rings at once are one.
 * An event may be worked through twice, here or elsewhere: what it does is the same, and only the holder of
 * the lease writes its outcome.
 */
@Injectable()
export class EventWorker implements BeforeApplicationShutdown {
  private readonly logger = new Logger(EventWorker.name);
  private readonly claimFailure = new ThrottledLog(
    this.logger,
    'billing events could not be claimed; trying again',
  );
  private running: Promise<void> | null = null;
  private rung = false;
  private stopping = false;
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly em: EntityManager,
    private readonly store: BillingEventStore,
    private readonly subscriptions: SubscriptionSync,
    private readonly metrics: BillingMetrics,
    @SettingsFrom(outboxSettings) private readonly outbox: OutboxSettings,
  ) {}

  /** Looks for events now. Never waits and never throws. */
  ring(): void {
    this.rung = true;
    if (this.running || this.stopping) return;
    this.running = this.run().finally(() => {
      this.running = null;
      if (this.rung) this.ring();
    });
  }

  /** Works through all that is due, and returns when it is done. */
  async drain(): Promise<void> {
    while (!this.stopping) {
      const free = SLOTS - this.underWay.size;
      if (free === 0) {
        await Promise.race(this.underWay);
        continue;
      }
      const held = await this.store.claim(newId(), free, this.outbox.leaseMs);
      for (const one of held) {
        const work = this.workOn(one).finally(() => this.underWay.delete(work));
        this.underWay.add(work);
      }
      if (held.length === 0) break;
    }
    await Promise.all(this.underWay);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    await this.running;
    await Promise.all(this.underWay);
  }

  private async run(): Promise<void> {
    try {
      while (this.rung && !this.stopping) {
        this.rung = false;
        await this.drain();
      }
    } catch (error) {
      this.claimFailure.warn(error);
      await new Promise((wake) => setTimeout(wake, CLAIM_RETRY_MS));
      this.rung = true;
    }
  }

  /** Never rejects: where the outcome cannot be written, the lease runs out and the event is claimed again. */
  private async workOn(held: HeldEvent): Promise<void> {
    try {
      const verdict = await this.judge(held.event).catch((error: unknown): Verdict => {
        // A provider that is away is counted and waited for; a database that is away ends the attempt.
        if (!isProviderError(error) && isConnectionFailure(error)) throw error;
        return {
          kind: 'retry',
          code: 'failed',
          error: withoutKeys(describeProviderError(error)),
          attemptsMax: EVENT_ATTEMPTS_MAX,
        };
      });
      await this.settle(held, verdict);
    } catch (error) {
      this.logger.warn({ err: error, eventId: held.event.id }, 'a billing event waits for its lease to end');
    }
  }

  private async judge(event: StripeEvent): Promise<Verdict> {
    switch (planOf(event.type)) {
      case 'sync':
        return this.syncOf(event);
      case 'forget_customer':
        return this.forgetCustomer(event);
      case 'audit':
        return {
          kind: 'done',
          projectId: await this.projectOfCustomer(event.customerId),
          note: 'audit_only',
        };
      default:
        return { kind: 'done', projectId: null, note: 'nothing_to_do' };
    }
  }

  private async syncOf(event: StripeEvent): Promise<Verdict> {
    // A payment of its own, or a checkout that never came to a subscription.
    if (event.subscriptionId === null) return { kind: 'done', projectId: null, note: 'no_subscription' };
    const cause = { reason: 'billing', eventId: event.id };
    const result = await this.subscriptions.sync(event.subscriptionId, cause);
    if (event.type === 'customer.subscription.deleted' && result.kind === 'written' && !result.ended) {
      return STILL_ALIVE;
    }
    // A session without its subscription's own event tells nothing yet; that event finds the session.
    if (
      result.kind === 'unmapped' &&
      event.type.startsWith('checkout.session.') &&
      projectOfSession(event.object)
    ) {
      return { kind: 'done', projectId: null, note: 'kept_for_its_subscription' };
    }
    return verdictOf(result);
  }

  /** Stripe ends the subscriptions of a customer that is deleted; the next checkout makes a new customer. */
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
      verdicts.push(result.kind === 'written' && !result.ended ? STILL_ALIVE : verdictOf(result));
    }
    await sql`
      update billing_customer set customer_id = null, generation = generation + 1, updated_at = now()
      where customer_id = ${customerId}
    `.execute(em.getKysely());
    const worst =
      verdicts.find(({ kind }) => kind === 'dead') ?? verdicts.find(({ kind }) => kind === 'retry');
    return worst ?? { kind: 'done', projectId: rows[0]?.projectId ?? null, note: null };
  }

  private async projectOfCustomer(customerId: string | null): Promise<string | null> {
    if (customerId === null) return null;
    const [row] = await subscriptionsOfCustomer(this.em.fork(), { provider: STRIPE, customerId, limit: 1 });
    return row?.projectId ?? null;
  }

  private async settle(held: HeldEvent, verdict: Verdict): Promise<void> {
    const { id: eventId, type } = held.event;
    if (verdict.kind === 'done') {
      const { projectId, note } = verdict;
      const ours = await this.store.finish(held, { status: 'processed', projectId, code: note, error: null });
      if (ours) this.metrics.count(type, 'processed');
      return;
    }
    if (verdict.kind === 'retry' && held.attempts < verdict.attemptsMax) {
      const { code, error } = verdict;
      await this.store.putBack(held, { afterMs: retryDelayMs(held.attempts), code, error });
      this.metrics.count(type, 'retried');
      this.logger.warn(
        { eventId, type, code, error, attempts: held.attempts },
        'a billing event is tried again',
      );
      return;
    }
    const { code, error } = verdict;
    const projectId = verdict.kind === 'dead' ? verdict.projectId : null;
    const ours = await this.store.finish(held, { status: 'dead', projectId, code, error });
    if (!ours) return;
    this.metrics.count(type, 'dead');
    this.metrics.alert(code, `a billing event is dead: ${error}`, { eventId, type, projectId });
  }
}

function verdictOf(result: SyncResult): Verdict {
  switch (result.kind) {
    case 'written':
      return { kind: 'done', projectId: result.projectId, note: null };
    case 'superseded':
      return { kind: 'done', projectId: result.projectId, note: 'superseded' };
    case 'unmapped':
      return {
        kind: 'retry',
        code: 'project_unknown',
        error: 'Neither a row of ours, nor metadata, nor a checkout session names the project.',
        attemptsMax: UNMAPPED_ATTEMPTS_MAX,
      };
    case 'refused':
      return { kind: 'dead', code: result.code, error: result.sentence, projectId: result.projectId };
  }
}
