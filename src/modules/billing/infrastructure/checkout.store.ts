import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { subscriptionsOf } from '../../licensing/subscription.rows.js';
import { projectNotFound } from '../../projects/project.service.js';
import { lockProject } from '../../projects/project.rows.js';
import { newId } from '../../../platform/identity/ids.js';
import { rowOf } from '../../../platform/database/tables.js';
import { BillingCheckout } from './billing.entities.js';
import { isLiveAtStripe } from '../domain/stripe-subscription.js';

/** The price of a checkout and the customer it is for. */
export interface Purpose {
  priceId: string;
  customerId: string;
  /** Subscriptions that the project has had: after another one, a checkout is a new one. */
  subscriptions: number;
}

/** A project's checkout that is open or being created. */
export interface OpenCheckout extends Purpose {
  /** With this key the provider returns the same checkout again. */
  idempotencyKey: string;
  /** Null while the provider is creating it. */
  sessionId: string | null;
  /** Age since the claim, by the database's clock. */
  ageMs: number;
}

export type Claim =
  /** The caller must create it, with this key. */
  | { kind: 'claimed'; idempotencyKey: string }
  /** Another checkout must be closed first. */
  | { kind: 'occupied'; by: OpenCheckout }
  /** The project has a live subscription. */
  | { kind: 'subscribed' };

/** The one open checkout of a project, so that no two can be paid. */
@Injectable()
export class CheckoutStore {
  constructor(private readonly em: EntityManager) {}

  /**
   * Claims the project's checkout under its row lock, which subscriptions are written under too. A
   * checkout for the same purpose and younger than `sameMs` is reused; any other must be closed
   * first, unless it is `closed`, the key of the one that the caller has closed.
   */
  async claim(
    projectId: string,
    requested: Purpose,
    { closed, sameMs }: { closed: string | null; sameMs: number },
  ): Promise<Claim> {
    return this.em.fork().transactional(async (tx) => {
      if (!(await lockProject(tx, projectId))) throw projectNotFound();
      if ((await subscriptionsOf(tx, projectId)).some(isLiveAtStripe)) return { kind: 'subscribed' };
      const open = await tx.findOne(BillingCheckout, { projectId });
      const now = await databaseTime(tx);
      const { priceId, customerId, subscriptions } = requested;
      if (open && open.idempotencyKey !== closed) {
        const { claimedAt, ...by } = rowOf(open);
        const ageMs = now.getTime() - claimedAt.getTime();
        const same =
          by.priceId === priceId && by.customerId === customerId && by.subscriptions === subscriptions;
        if (same && ageMs < sameMs) return { kind: 'claimed', idempotencyKey: by.idempotencyKey };
        return { kind: 'occupied', by: Object.assign(by, { ageMs }) };
      }
      const idempotencyKey = `checkout:${projectId}:${newId()}`;
      const claimed = {
        priceId,
        customerId,
        subscriptions,
        idempotencyKey,
        sessionId: null,
        claimedAt: now,
      };
      if (open) Object.assign(open, claimed);
      else tx.create(BillingCheckout, { projectId, ...claimed });
      return { kind: 'claimed', idempotencyKey };
    });
  }

  /** Stores the created session, unless another checkout has replaced it. */
  async keepSession(projectId: string, idempotencyKey: string, sessionId: string): Promise<void> {
    await this.em.fork().nativeUpdate(BillingCheckout, { projectId, idempotencyKey }, { sessionId });
  }
}

/** Of the transaction: the clocks of several processes differ. */
async function databaseTime(tx: EntityManager): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now()`.execute(tx.getKysely());
  if (!rows[0]) throw new Error('The database returned no time.');
  return rows[0].now;
}
