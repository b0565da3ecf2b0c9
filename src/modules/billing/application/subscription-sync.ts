import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { isUuid, newId } from '../../../platform/identity/ids.js';
import { writeAudit } from '../../audit/audit.log.js';
import { diffStates } from '../../audit/domain/audit-event.js';
import { type Author, authorName } from '../../audit/domain/author.js';
import {
  isKnownStatus,
  newSubscription,
  type StatusColumns,
  type Subscription,
} from '../../licensing/domain/subscription.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { findSubscription, subscriptionsOf, writeSubscription } from '../../licensing/subscription.rows.js';
import { lockProject } from '../../projects/project.rows.js';
import { earlier } from '../domain/json.js';
import { subscriptionFrom } from '../domain/payload-history.js';
import { projectOfSession, readInvoice } from '../domain/stripe-event.js';
import {
  findSoldItem,
  isLiveAtStripe,
  isSuperseded,
  isTerminal,
  LIVE_STATUSES,
  meaningOf,
  type PriceMeaning,
  readSubscription,
  shownOf,
  type StripeSubscription,
  type SubscriptionDraft,
  toColumns,
} from '../domain/stripe-subscription.js';
import { BillingEventStore, STRIPE } from '../infrastructure/billing-event.store.js';
import { BillingMetrics } from '../infrastructure/billing.metrics.js';
import { BillingCustomer } from '../infrastructure/billing.entities.js';
import { PriceList } from '../infrastructure/price-list.js';
import { StripeGateway } from '../infrastructure/stripe-gateway.js';

/** The result of a sync. */
export type SyncResult =
  /** The row is written. `changed`: it differs from before; `ended`: it has ended for good. */
  | { kind: 'written'; projectId: string; changed: boolean; ended: boolean }
  /** A later sync has already written, or the subscription has ended for good. */
  | { kind: 'superseded'; projectId: string }
  /** The project is not known yet; a later event may name it. */
  | { kind: 'unmapped' }
  /** Needs an operator. Nothing was granted. */
  | { kind: 'refused'; code: RefusalCode; sentence: string; projectId: string | null };

type RefusalCode = 'price_unknown' | 'customer_mismatch' | 'project_unknown' | 'subscription_not_found';

function projectUnknown(projectId: string | null): SyncResult {
  return refused(
    'project_unknown',
    'The subscription names a project that does not exist; a customer may be paying for nothing.',
    projectId,
  );
}

function refused(code: RefusalCode, sentence: string, projectId: string | null): SyncResult {
  return { kind: 'refused', code, sentence, projectId };
}

/** Why a subscription is synced. */
export interface SyncCause {
  /** `billing`, `reconciliation` or `sync`, for the audit log. */
  reason: string;
  eventId?: string;
  /** Who requested it; absent: an event of the provider, or the service itself. */
  author?: Author;
}

/**
 * Syncs one subscription (design §6.4). The event only identifies the subscription to fetch. A number is
 * drawn from a sequence, *then* the subscription is fetched, and the row is written only by a larger number
 * than its own, under the project's row lock. Every event that arrives after a change leads to a fetch that
 * includes the change, so the largest number includes all of them: duplicates, any order and two workers at
 * once lead to the same state. An end applies with any number: nothing that is fetched later can undo it, and
 * a response of a lagging replica may have a larger number than the one that showed the end.
 */
@Injectable()
export class SubscriptionSync {
  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
    private readonly stripe: StripeGateway,
    private readonly prices: PriceList,
    private readonly events: BillingEventStore,
    private readonly metrics: BillingMetrics,
  ) {}

  /**
   * May run any number of times, also concurrently for one subscription. Throws errors of Stripe
   * and the database.
   */
  async sync(externalId: string, cause: SyncCause): Promise<SyncResult> {
    const prices = await this.prices.read();
    const fetched = this.stripe.configured ? await this.fetch(externalId) : null;
    if (this.stripe.configured && !fetched)
      return refused('subscription_not_found', 'Stripe has no subscription with this id.', null);
    const em = this.em.fork();
    const history = fetched ? null : await this.readHistory(em, externalId, prices);
    const reported = fetched?.reported ?? history?.reported ?? null;
    if (!reported) return { kind: 'unmapped' };
    const projectId = await this.projectOf(reported);
    if (projectId === null) return { kind: 'unmapped' };
    if (!isUuid(projectId)) return projectUnknown(null);
    return this.em.fork().transactional(async (tx) => {
      if (!(await lockProject(tx, projectId))) return projectUnknown(projectId);
      const draft = fetched ?? (await this.draftFromHistory(tx, reported, prices));
      return this.write(tx, { projectId, draft, prices, cause });
    });
  }

  /** Fetches the subscription; null: Stripe has none with this id. */
  private async fetch(externalId: string): Promise<SubscriptionDraft | null> {
    const seq = await this.nextSeq(this.em.fork());
    const reported = readSubscription(await this.stripe.subscription(externalId));
    if (!reported) return null;
    const overdue = reported.status === 'past_due' || reported.status === 'unpaid';
    return { reported, seq, pastDueSince: overdue ? await this.pastDueSince(reported) : null };
  }

  /**
   * Start of an overdue payment: from the oldest unpaid invoice, not from the time of arrival, so a
   * replay does not restart the grace period. Without an unpaid invoice the latest one is used, and
   * without any the start of the period.
   */
  private async pastDueSince({ id, latestInvoice, items }: StripeSubscription): Promise<Date | null> {
    const open = (await this.stripe.openInvoices(id)).map((invoice) => readInvoice(invoice)?.dueAt ?? null);
    const latest = latestInvoice?.status === 'paid' ? null : (latestInvoice?.dueAt ?? null);
    const oldest = [...open, latest].reduce(earlier, null);
    return (
      oldest ??
      latestInvoice?.dueAt ??
      items.reduce<Date | null>((start, item) => earlier(start, item.periodStart), null)
    );
  }

  private async readHistory(
    em: EntityManager,
    externalId: string,
    prices: ReadonlyMap<string, PriceMeaning>,
  ): Promise<{ reported: StripeSubscription; columns: StatusColumns } | null> {
    return subscriptionFrom(await this.events.history(em, externalId), prices);
  }

  /**
   * Reads the events again under the lock: the last writer has then seen at least the events of all others.
   */
  private async draftFromHistory(
    tx: EntityManager,
    reported: StripeSubscription,
    prices: ReadonlyMap<string, PriceMeaning>,
  ): Promise<SubscriptionDraft> {
    const events = await this.events.history(tx, reported.id, reported.customerId);
    const history = subscriptionFrom(events, prices) ?? { reported };
    return { ...history, seq: await this.nextSeq(tx), pastDueSince: null };
  }

  private async nextSeq(em: EntityManager): Promise<number> {
    const { rows } = await sql<{ seq: number }>`select nextval('billing_sync_seq') as seq`.execute(
      em.getKysely(),
    );
    if (!rows[0]) throw new Error('the synchronization sequence returned no number');
    return rows[0].seq;
  }

  /** Our own row takes precedence, then the metadata written by our checkout, then the checkout's session. */
  private async projectOf(reported: StripeSubscription): Promise<string | null> {
    const em = this.em.fork();
    const row = await findSubscription(em, { provider: STRIPE, externalId: reported.id });
    if (row) return row.projectId;
    if (reported.projectId !== null) return reported.projectId.toLowerCase();
    const events = await this.events.history(em, reported.id);
    for (const { type, object } of events) {
      const projectId = type.startsWith('checkout.session.') ? projectOfSession(object) : null;
      if (projectId !== null) return projectId.toLowerCase();
    }
    return null;
  }

  private async write(
    tx: EntityManager,
    work: {
      projectId: string;
      draft: SubscriptionDraft;
      prices: ReadonlyMap<string, PriceMeaning>;
      cause: SyncCause;
    },
  ): Promise<SyncResult> {
    const { projectId, draft, prices, cause } = work;
    const { reported, seq } = draft;
    const now = new Date();
    const key = { provider: STRIPE, externalId: reported.id };
    const before = await findSubscription(tx, key);
    if (before && before.projectId !== projectId) throw new Error('another project claimed the subscription');
    if (before && isSuperseded(before, draft)) return { kind: 'superseded', projectId };
    if (await this.isOtherCustomer(tx, { projectId, reported, before }))
      return refused(
        'customer_mismatch',
        'The subscription belongs to a different customer than the project.',
        projectId,
      );
    const item = findSoldItem(reported, prices);
    const row = {
      ...(before ?? newSubscription({ ...key, projectId, id: newId() }, now)),
      ...toColumns(draft, { item, before, now }),
      syncSeq: Math.max(seq, before?.syncSeq ?? 0),
      updatedAt: now,
    };
    await writeSubscription(tx, row);
    await this.licensing.recompute(tx, projectId, {
      reason: cause.reason,
      at: now,
      subscriptionId: row.id,
      ...(cause.eventId !== undefined && { eventId: cause.eventId }),
      ...(cause.author && { actor: authorName(cause.author) }),
    });
    const change = diffStates(before ? shownOf(before) : {}, shownOf(row));
    if (change)
      await writeAudit(tx, cause.author ?? { kind: cause.eventId === undefined ? 'system' : 'stripe' }, {
        projectId,
        action: 'subscription.change',
        target: row.id,
        ...(before ? change : { after: change.after }),
      });
    await this.raiseAnomalyAlerts(tx, row);
    if (!item && !isTerminal(reported.status))
      return refused(
        'price_unknown',
        'The subscription has an unknown price. Add it to STRIPE_PRICES and replay the event.',
        projectId,
      );
    const changed = before === null || meaningOf(before) !== meaningOf(row);
    return { kind: 'written', projectId, changed, ended: isTerminal(row.status) };
  }

  /** A subscription does not move between customers, nor a customer between projects. */
  private async isOtherCustomer(
    tx: EntityManager,
    {
      projectId,
      reported,
      before,
    }: { projectId: string; reported: StripeSubscription; before: Subscription | null },
  ): Promise<boolean> {
    const { customerId } = reported;
    if (before?.customerId) return before.customerId !== customerId;
    const known = await tx.find(BillingCustomer, { $or: [{ projectId }, { customerId }] });
    return known.some((customer) =>
      customer.projectId === projectId
        ? (customer.customerId ?? customerId) !== customerId
        : customer.customerId === customerId,
    );
  }

  /** Alerts about states that are valid but need attention: a double charge, or an unknown status. */
  private async raiseAnomalyAlerts(tx: EntityManager, row: Subscription): Promise<void> {
    const { projectId, id, status } = row;
    if (!isKnownStatus(status))
      this.metrics.alert('status_unknown', 'Stripe reports an unknown subscription status', {
        projectId,
        subscriptionId: id,
        status,
      });
    if (!LIVE_STATUSES.includes(status)) return;
    const live = (await subscriptionsOf(tx, projectId)).filter(isLiveAtStripe);
    const others = live.filter((other) => other.id !== id).length;
    if (others > 0)
      this.metrics.alert('second_live_subscription', 'a project has more than one paid subscription', {
        projectId,
        subscriptionId: id,
        others,
      });
  }
}
