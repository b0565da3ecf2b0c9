import type { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import {
  type Subscription,
  type SubscriptionKey,
  type SubscriptionProvider,
  TERMINAL_STATUSES,
} from './domain/subscription.js';
import { SubscriptionEntity } from './infrastructure/subscription.entity.js';

/**
 * Reads and writes of subscriptions for billing, in its transactions. A writer locks the project first
 * (`lockProject`) and calls `LicensingService.recompute` in the same transaction. Reads bypass the identity map: a
 * locked read must not return an older copy.
 */

/** The subscriptions of these projects, most recently changed first. */
export async function subscriptionsOf(em: EntityManager, ...projectIds: string[]): Promise<Subscription[]> {
  const rows = await em.find(
    SubscriptionEntity,
    { projectId: { $in: projectIds } },
    { orderBy: { updatedAt: 'desc', id: 'desc' }, disableIdentityMap: true },
  );
  return rows.map(subscriptionOf);
}

/** null: none. */
export async function findSubscription(
  em: EntityManager,
  key: SubscriptionKey,
): Promise<Subscription | null> {
  const { provider, externalId } = key;
  const row = await em.findOne(SubscriptionEntity, { provider, externalId }, { disableIdentityMap: true });
  return row && subscriptionOf(row);
}

/** At most `limit` subscriptions of one customer of a provider. */
export async function subscriptionsOfCustomer(
  em: EntityManager,
  { provider, customerId, limit }: { provider: SubscriptionProvider; customerId: string; limit: number },
): Promise<Subscription[]> {
  const where = { provider, customerId };
  const rows = await em.find(SubscriptionEntity, where, { limit, disableIdentityMap: true });
  return rows.map(subscriptionOf);
}

/** At most `limit` ids of a provider's running subscriptions last written before an instant; oldest first. */
export async function runningSince(
  em: EntityManager,
  { provider, before, limit }: { provider: SubscriptionProvider; before: Date; limit: number },
): Promise<string[]> {
  const rows = await em.find(
    SubscriptionEntity,
    { provider, status: { $nin: [...TERMINAL_STATUSES] }, updatedAt: { $lt: before } },
    { fields: ['externalId'], orderBy: { updatedAt: 'asc' }, limit, disableIdentityMap: true },
  );
  return rows.map(({ externalId }) => externalId);
}

/** Writes a new or changed subscription in one statement; the caller has locked the project. */
export async function writeSubscription(tx: EntityManager, subscription: Subscription): Promise<void> {
  if (!tx.isInTransaction()) throw new Error('A subscription must be written inside a transaction.');
  await tx.upsert(SubscriptionEntity, { ...subscription }, { disableIdentityMap: true });
}

/** Deletes a subscription without a trace. */
export async function deleteSubscription(tx: EntityManager, { projectId, id }: Subscription): Promise<void> {
  await tx.nativeDelete(SubscriptionEntity, { projectId, id });
}

/** The number of a provider's subscriptions. */
export async function countSubscriptions(em: EntityManager, provider: SubscriptionProvider): Promise<number> {
  // Without entities, which are not discovered yet at this point of the start.
  const [row] = await em.execute<{ count: number }[]>(
    'select count(*)::int as count from subscription where provider = ?',
    [provider],
  );
  return row?.count ?? 0;
}

/**
 * A fragment for a statement of billing: whether the subscription identified by two SQL expressions
 * has ended permanently.
 */
export function hasEnded(provider: string, externalId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select 1 from subscription s
    where s.provider = ${sql.raw(provider)} and s.external_id = ${sql.raw(externalId)}
      and s.status in (${sql.join(TERMINAL_STATUSES)}))`;
}

/** The row as a `Subscription`; the ORM's types allow undefined instead of null. */
function subscriptionOf(row: SubscriptionEntity): Subscription {
  const { projectId, id, provider, externalId, status, statusSince } = row;
  const { collectionPaused, syncSeq, createdAt, updatedAt } = row;
  return {
    projectId,
    id,
    provider,
    externalId,
    status,
    statusSince,
    collectionPaused,
    syncSeq,
    createdAt,
    updatedAt,
    knownStatus: row.knownStatus ?? null,
    tier: row.tier ?? null,
    pastDueSince: row.pastDueSince ?? null,
    endedAt: row.endedAt ?? null,
    endReason: row.endReason ?? null,
    customerId: row.customerId ?? null,
    priceId: row.priceId ?? null,
    interval: row.interval ?? null,
    currentPeriodStart: row.currentPeriodStart ?? null,
    currentPeriodEnd: row.currentPeriodEnd ?? null,
    cancelAt: row.cancelAt ?? null,
    canceledAt: row.canceledAt ?? null,
    reason: row.reason ?? null,
    grantedBy: row.grantedBy ?? null,
    expiresAt: row.expiresAt ?? null,
  };
}
