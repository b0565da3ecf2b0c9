import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { runningSince } from '../../licensing/subscription.rows.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { ReceiveEvent } from './receive-event.js';
import { SubscriptionSync } from './subscription-sync.js';
import { BillingEventStore, STRIPE } from '../infrastructure/billing-event.store.js';
import { BillingEvent } from '../infrastructure/billing.entities.js';
import { BillingMetrics } from '../infrastructure/billing.metrics.js';
import { StripeGateway } from '../infrastructure/stripe-gateway.js';

const MINUTE_MS = 60_000;
/** Stripe stops retrying a webhook after three days; undelivered events are fetched for the same period. */
const UNDELIVERED_WINDOW_MS = 3 * 24 * 60 * 60_000;
/** A subscription that was not synced for this long is due, so each is checked once a night. */
const DUE_AFTER_MS = 20 * 60 * 60_000;
/** Subscriptions per run; the rest is due in the next run, an hour later. */
const RECONCILED_MAX = 2_000;
/** Concurrent requests to Stripe. */
const RECONCILE_BATCH = 4;

/** How long ignored events are kept for inspection. One that is received again is ignored again. */
const IGNORED_KEPT_MS = 30 * 24 * 60 * 60_000;

/**
 * Payloads contain names, addresses and emails of customers, and events this old are not replayed.
 * Type, ids, times and outcome are kept.
 */
const PAYLOADS_KEPT_MS = 90 * 24 * 60 * 60_000;

/** Recovers from missed webhooks, so that a lost one costs at most a day. Every method is idempotent. */
@Injectable()
export class BillingMaintenance implements OnModuleInit {
  private readonly logger = new Logger(BillingMaintenance.name);

  constructor(
    private readonly em: EntityManager,
    private readonly stripe: StripeGateway,
    private readonly receiveEvent: ReceiveEvent,
    private readonly subscriptions: SubscriptionSync,
    private readonly events: BillingEventStore,
    private readonly metrics: BillingMetrics,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    const tasks = [
      {
        name: 'billing-undelivered',
        everyMs: 15 * MINUTE_MS,
        run: (now: Date) => this.fetchUndelivered(now),
      },
      // Hourly, and each subscription once a day, which spreads the load.
      { name: 'billing-reconcile', everyMs: 60 * MINUTE_MS, run: (now: Date) => this.reconcile(now) },
      { name: 'billing-prune', everyMs: 60 * MINUTE_MS, run: (now: Date) => this.prune(now) },
    ];
    for (const task of tasks) this.maintenance.register(task);
  }

  /** Stores the events that Stripe could not deliver; returns the number of new ones. */
  async fetchUndelivered(now: Date): Promise<number> {
    if (!this.stripe.configured) return 0;
    const events = await this.stripe.undeliveredEvents(new Date(now.getTime() - UNDELIVERED_WINDOW_MS));
    let received = 0;
    for (const event of events) if (await this.receiveEvent.fromReconciliation(event)) received += 1;
    return received;
  }

  /**
   * Fetches every subscription from Stripe that has not ended and was not synced for 20 hours, and
   * counts those that were out of sync. Returns `{ checked, drifted, failed }`.
   */
  async reconcile(now: Date): Promise<{ checked: number; drifted: number; failed: number }> {
    const counts = { checked: 0, drifted: 0, failed: 0 };
    if (!this.stripe.configured) return counts;
    const before = new Date(now.getTime() - DUE_AFTER_MS);
    const due = await runningSince(this.em.fork(), { provider: STRIPE, before, limit: RECONCILED_MAX });
    for (let at = 0; at < due.length; at += RECONCILE_BATCH)
      await Promise.all(due.slice(at, at + RECONCILE_BATCH).map((id) => this.check(id, counts)));
    if (counts.drifted + counts.failed > 0)
      this.logger.warn(counts, 'subscriptions were out of sync or failed to reconcile');
    return counts;
  }

  /**
   * Deletes old ignored events, and the payloads of events processed 90 days ago. Returns how many
   * events were deleted. The others remain as the record of what was billed.
   */
  async prune(now: Date): Promise<number> {
    const oldest = new Date(now.getTime() - PAYLOADS_KEPT_MS);
    await this.events.dropPayloads(oldest, { keepRunning: !this.stripe.configured });
    const receivedAt = { $lt: new Date(now.getTime() - IGNORED_KEPT_MS) };
    return this.em.fork().nativeDelete(BillingEvent, { status: 'ignored', receivedAt });
  }

  private async check(
    externalId: string,
    counts: { checked: number; drifted: number; failed: number },
  ): Promise<void> {
    counts.checked += 1;
    try {
      const result = await this.subscriptions.sync(externalId, { reason: 'reconciliation' });
      if (result.kind === 'refused') {
        counts.failed += 1;
        this.metrics.alert(result.code, result.sentence, { externalId, projectId: result.projectId });
      }
      if (result.kind !== 'written' || !result.changed) return;
      counts.drifted += 1;
      this.metrics.countDrift();
    } catch (error) {
      // A failure must not stop the others; the subscription stays due.
      counts.failed += 1;
      this.logger.warn({ err: error, externalId }, 'failed to reconcile a subscription');
    }
  }
}
