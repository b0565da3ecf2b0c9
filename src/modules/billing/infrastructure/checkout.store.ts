import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { subscriptionsOf } from '../../licensing/subscription.rows.js';
import { projectNotFound } from '../../projects/project.service.js';
import { lockProject } from '../../projects/project.rows.js';
import { newId } from '../../shared/ids.js';
import { billingTables } from './billing.tables.js';
import { isLiveAtStripe } from '../domain/stripe-subscription.js';

/** The price of a checkout and the customer it is for. */
export interface Purpose {
  priceId: string;
  customerId: string;
  /** Subscriptions that the project has had: a further one is another checkout. */
  subscriptions: number;
}

/** A project's checkout that is open or being created. */
export interface OpenCheckout extends Purpose {
  /** With this key the provider returns the same checkout again. */
  idempotencyKey: string;
  /** Null while the provider is creating it. */
  sessionId: string | null;
  /** Since it was claimed, by the database's clock. */
  ageMs: number;
}

export type Claim =
  /** The caller creates it, with this key. */
  | { kind: 'claimed'; idempotencyKey: string }
  /** Another one is in the way; it has to be closed first. */
  | { kind: 'occupied'; by: OpenCheckout }
  /** The project has a subscription that lives. */
  | { kind: 'subscribed' };

/** The one checkout that a project may have open at a time; no two can then be paid. */
@Injectable()
export class CheckoutStore {
  constructor(private readonly em: EntityManager) {}

  /**
   * Claims the project's place under the lock of its row, which subscriptions are written under too. A checkout
   * for the same purpose and younger than `sameMs` is the one that is wanted; any other is in the way, unless it is
   * `closed`, the key of the one that the caller has closed.
   */
  async claim(
    projectId: string,
    requested: Purpose,
    { closed, sameMs }: { closed: string | null; sameMs: number },
  ): Promise<Claim> {
    return this.em.fork().transactional(async (tx) => {
      if (!(await lockProject(tx, projectId))) throw projectNotFound();
      if ((await subscriptionsOf(tx, projectId)).some(isLiveAtStripe)) return { kind: 'subscribed' };
      const tables = billingTables(tx);
      const by = await tables
        .selectFrom('billing_checkout')
        .select(['priceId', 'customerId', 'subscriptions', 'idempotencyKey', 'sessionId'])
        .select(sql<number>`extract(epoch from now() - claimed_at)::float8 * 1000`.as('ageMs'))
        .where('projectId', '=', projectId)
        .executeTakeFirst();
      const { priceId, customerId, subscriptions } = requested;
      if (by && by.idempotencyKey !== closed) {
        const same =
          by.priceId === priceId && by.customerId === customerId && by.subscriptions === subscriptions;
        if (same && by.ageMs < sameMs) return { kind: 'claimed', idempotencyKey: by.idempotencyKey };
        return { kind: 'occupied', by };
      }
      const idempotencyKey = `checkout:${projectId}:${newId()}`;
      const claimed = {
        ...{ priceId, customerId, subscriptions, idempotencyKey },
        sessionId: null,
        claimedAt: sql<Date>`now()`,
      };
      await tables
        .insertInto('billing_checkout')
        .values({ projectId, ...claimed })
        .onConflict((open) => open.column('projectId').doUpdateSet(claimed))
        .execute();
      return { kind: 'claimed', idempotencyKey };
    });
  }

  /** Stores the created session, unless another checkout has replaced it. */
  async keepSession(projectId: string, idempotencyKey: string, sessionId: string): Promise<void> {
    await billingTables(this.em.fork())
      .updateTable('billing_checkout')
      .set({ sessionId })
      .where('projectId', '=', projectId)
      .where('idempotencyKey', '=', idempotencyKey)
      .execute();
  }
}
