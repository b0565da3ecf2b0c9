import type { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { newSubscription, statusAfter, type Subscription } from '../../licensing/domain/subscription.js';
import { subscriptionsOf, writeSubscription } from '../../licensing/subscription.rows.js';
import type { PaidTier, ResolvedTier } from '../../licensing/domain/tier.js';
import { findProject, lockProject } from '../../projects/project.rows.js';
import type { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { messageOf } from '../domain/billing-message.js';
import { newId } from '../../../platform/identity/ids.js';
import {
  BillingEventStore,
  type EventStatus,
  type ListedEvent,
} from '../infrastructure/billing-event.store.js';
import { BillingGrantLog } from '../infrastructure/billing.entities.js';

/** A tier that an operator grants manually. */
export interface Grant {
  projectId: string;
  tier: PaidTier;
  reason: string;
  /** Expiry of the grant; a grant without one is rejected (design §6.2). */
  expiresAt: Date;
  /** The operator who grants. */
  operator: string;
}

/** The result of granting or revoking; null where the project, or the grant, does not exist. */
export interface GrantResult {
  subscriptionId: string;
  before: string;
  after: ResolvedTier;
}

/** Rolls back the transaction: a dry run executes the change and undoes it. */
class DryRun extends Error {
  constructor(readonly result: GrantResult | boolean) {
    super('dry run');
  }
}

/** Billing commands of operators, safe beside a running service. */
export class OperatorBilling {
  private readonly events: BillingEventStore;

  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
    private readonly outbox: OutboxService,
  ) {
    this.events = new BillingEventStore(em);
  }

  list(status: EventStatus, limit: number): Promise<ListedEvent[]> {
    return this.events.list(status, limit);
  }

  /**
   * Queues a processed or dead event again, as if it had just arrived. Returns whether there is one
   * that can be replayed; a dry run changes nothing.
   */
  async replay(eventId: string, { dryRun }: { dryRun: boolean }): Promise<boolean> {
    try {
      return await this.em.fork().transactional(async (tx) => {
        const event = await this.events.reopen(tx, eventId);
        if (event) {
          await this.outbox.appendAnew(tx, messageOf(event));
          const operator = { kind: 'operator', id: null } as const;
          await writeAudit(tx, operator, { action: 'billing.replay', target: eventId });
        }
        if (dryRun) throw new DryRun(event !== null);
        return event !== null;
      });
    } catch (error) {
      if (error instanceof DryRun) return error.result === true;
      throw error;
    }
  }

  /**
   * Gives the project a manual subscription, or changes its current one: a project has one grant at
   * a time. Logged with operator and reason.
   */
  grant(grant: Grant, { now, dryRun }: { now: Date; dryRun: boolean }): Promise<GrantResult | null> {
    const { projectId, tier, reason, expiresAt, operator } = grant;
    return this.change(projectId, { operator, now, dryRun, action: 'grant' }, async (tx) => {
      const found = await openGrant(tx, projectId);
      const granted = statusAfter(found, { status: 'active', tier, endedAt: null, endReason: null }, now);
      const id = found?.id ?? newId();
      const row = found ?? newSubscription({ provider: 'manual', externalId: id, projectId, id }, now);
      const columns = { ...granted, reason, expiresAt, grantedBy: operator, updatedAt: now };
      await writeSubscription(tx, { ...row, ...columns });
      return { subscriptionId: id, tier, reason, expiresAt };
    });
  }

  /** Ends the project's grant at once, without a grace period. */
  revoke(
    { projectId, reason, operator }: Pick<Grant, 'projectId' | 'reason' | 'operator'>,
    { now, dryRun }: { now: Date; dryRun: boolean },
  ): Promise<GrantResult | null> {
    return this.change(projectId, { operator, now, dryRun, action: 'revoke' }, async (tx) => {
      const found = await openGrant(tx, projectId);
      if (!found?.tier || !found.expiresAt) return null;
      const { id, tier, expiresAt } = found;
      await writeSubscription(tx, {
        ...found,
        // No end reason: an end without a request or failed payment has no grace period.
        ...statusAfter(found, { status: 'canceled', tier, endedAt: now, endReason: null }, now),
        updatedAt: now,
      });
      return { subscriptionId: id, tier, reason, expiresAt };
    });
  }

  /** One transaction: the lock, the change, its log, and the resulting tier. */
  private async change(
    projectId: string,
    {
      operator,
      now,
      dryRun,
      action,
    }: { operator: string; now: Date; dryRun: boolean; action: 'grant' | 'revoke' },
    write: (
      tx: EntityManager,
    ) => Promise<{ subscriptionId: string; tier: string; reason: string; expiresAt: Date } | null>,
  ): Promise<GrantResult | null> {
    try {
      return await this.em.fork().transactional(async (tx) => {
        if (!(await lockProject(tx, projectId))) return null;
        const written = await write(tx);
        if (!written) return null;
        const { subscriptionId, tier, reason, expiresAt } = written;
        const id = newId();
        const logged = { projectId, id, subscriptionId, action, tier, reason, expiresAt, operator, at: now };
        tx.create(BillingGrantLog, logged);
        const before = await findProject(tx, projectId);
        const after = await this.licensing.recompute(tx, projectId, {
          reason: action,
          at: now,
          subscriptionId,
          actor: `operator:${operator}`,
        });
        if (!after) return null;
        await writeAudit(
          tx,
          { kind: 'operator', id: operator },
          {
            projectId,
            action: `tier.${action}`,
            target: subscriptionId,
            before: { tier: before?.tier },
            after: { granted: tier, until: expiresAt, reason, tier: after.tier },
          },
        );
        const result = { subscriptionId, before: before?.tier ?? 'lite', after };
        if (dryRun) throw new DryRun(result);
        return result;
      });
    } catch (error) {
      if (error instanceof DryRun && typeof error.result === 'object') return error.result;
      throw error;
    }
  }
}

/** An operator's grant that was not revoked; it may have expired. */
async function openGrant(tx: EntityManager, projectId: string): Promise<Subscription | null> {
  const all = await subscriptionsOf(tx, projectId);
  return all.find(({ provider, status }) => provider === 'manual' && status !== 'canceled') ?? null;
}
