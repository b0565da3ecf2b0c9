import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Kysely } from 'kysely';
import { PreparedReads, type Reads } from '../../platform/database/prepared-reads.js';
import { typedTables, type TablesOf } from '../../platform/database/tables.js';
import { newId } from '../../platform/identity/ids.js';
import { OutboxService } from '../../platform/outbox/outbox.service.js';
import { writeEvents } from '../events/event.log.js';
import type { Project } from '../projects/domain/project.js';
import {
  findProject,
  lockProject,
  readLicensedProjects,
  writeTier,
  type LicensedProject,
} from '../projects/project.rows.js';
import { isPreviewHost } from './domain/preview-host.js';
import { graceEndOf, resolveTier } from './domain/resolve-tier.js';
import type { Subscription } from './domain/subscription.js';
import type { ResolvedTier, Tier, TierReason } from './domain/tier.js';
import type { TierChangeSchema } from './infrastructure/tier-change.entity.js';
import { TIER_CHANGED, tierChangedMessage } from './licensing.events.js';
import { subscriptionsOf } from './subscription.rows.js';

type LicensingTables = TablesOf<typeof TierChangeSchema>;

/** Typed queries over the log of tier changes; subscriptions are read as entities. */
const licensingTables = (em: EntityManager): Kysely<LicensingTables> => typedTables<LicensingTables>(em);

/** Why a tier is recomputed; stored in `tier_change` if the tier changes. */
export interface TierCause {
  /** e.g. `simulate`, `sweep`, `billing`. */
  reason: string;
  /** The instant for which the tier is computed. */
  at: Date;
  /** The subscription that was written; absent: the one that grants the new tier. */
  subscriptionId?: string;
  /** The provider's event. */
  eventId?: string;
  /** The actor, as `kind:id`; absent: the service itself. */
  actor?: string;
}

/**
 * The effective tier of a project, for one of its host names or (null) for none; null: the project
 * is deleted.
 */
export type TierLookup = (projectId: string, hostname: string | null) => ResolvedTier | null;

/** Adapts other modules' data to a tier, in the transaction that changes it and under the project's lock. */
export type TierListener = (tx: EntityManager, change: { projectId: string; tier: Tier }) => Promise<void>;

/** The effective tier of a project, for other modules (spec §3.2). */
@Injectable()
export class LicensingService implements OnModuleInit {
  private readonly listeners: TierListener[] = [];

  constructor(
    private readonly em: EntityManager,
    @Inject(PreparedReads) private readonly reads: Reads,
    private readonly outbox: OutboxService,
  ) {}

  onModuleInit(): void {
    this.outbox.announce(TIER_CHANGED);
  }

  onTierChange(listener: TierListener): void {
    this.listeners.push(listener);
  }

  /** The effective tier of a project row, without hostname (spec §3.2). */
  async tierOf(project: Project, now: Date): Promise<Tier> {
    return (await this.effective(project, undefined, now)).tier;
  }

  /** Reads the effective tiers of many projects in one query; the lookup takes a hostname or none. */
  async tiersOf(projectIds: string[], now: Date): Promise<TierLookup> {
    const em = this.em.fork();
    const projects = await readLicensedProjects(this.reads, projectIds);
    const stale = projects.filter((project) => cachedTier(project, now) === null).map(({ id }) => id);
    const subscriptions = stale.length > 0 ? await subscriptionsOf(em, ...stale) : [];
    const known = new Map(
      projects.map((project) => {
        const own = subscriptions.filter(({ projectId }) => projectId === project.id);
        return [project.id, { project, tier: cachedTier(project, now) ?? resolve(project, own, { now }) }];
      }),
    );
    return (projectId, hostname) => {
      const found = known.get(projectId);
      if (!found) return null;
      const onPreview = hostname !== null && isPreviewHost(hostname, found.project.domains);
      return onPreview ? resolve(found.project, [], { hostname, now }) : found.tier;
    };
  }

  /**
   * The effective tier at the lowest cost: no query on a preview host, nor while the cache of the
   * project's row is valid; else one. The cache is compared with `now`, so a late sweep never
   * over-grants.
   */
  async effective(project: LicensedProject, hostname: string | undefined, now: Date): Promise<ResolvedTier> {
    if (hostname !== undefined && isPreviewHost(hostname, project.domains)) {
      return resolve(project, [], { hostname, now });
    }
    return cachedTier(project, now) ?? (await this.fromSubscriptions(project, undefined, now));
  }

  /** The effective tier from the subscriptions, without the cache. One query. */
  async fromSubscriptions(
    project: LicensedProject,
    hostname: string | undefined,
    now: Date,
  ): Promise<ResolvedTier> {
    const subscriptions = await subscriptionsOf(this.em.fork(), project.id);
    return resolve(project, subscriptions, { hostname, now });
  }

  /**
   * Recomputes the project's cached tier from its subscriptions, inside the caller's transaction,
   * which has just written one. If the tier changed, its version increases by one, `tier_change`
   * gets a row, and the outbox a `tier.changed` message. Returns the tier, or null if the project
   * is deleted.
   */
  async recompute(tx: EntityManager, projectId: string, cause: TierCause): Promise<ResolvedTier | null> {
    // The caller's changes must be in the database before the read; the lock keeps the result valid.
    await tx.flush();
    if (!(await lockProject(tx, projectId))) return null;
    const project = await findProject(tx, projectId);
    if (!project) return null;
    const subscriptions = await subscriptionsOf(tx, projectId);
    const resolved = resolve(project, subscriptions, { now: cause.at });
    const changed = resolved.tier !== project.tier;
    await writeTier(tx, projectId, { ...resolved, changed });
    if (changed) {
      await recordChange(tx, project, resolved, cause);
      // Subscribers to tiers (the published configuration) are notified if and only if the change commits.
      await this.outbox.append(tx, tierChangedMessage(projectId));
      const data = { from: project.tier as Tier, to: resolved.tier };
      await writeEvents(tx, projectId, [{ type: 'tier.changed', id: projectId, data }]);
      for (const listener of this.listeners) await listener(tx, { projectId, tier: resolved.tier });
    }
    return resolved;
  }
}

/** Writes the log of tier changes. */
async function recordChange(
  tx: EntityManager,
  before: LicensedProject,
  after: ResolvedTier,
  cause: TierCause,
): Promise<void> {
  await licensingTables(tx)
    .insertInto('tier_change')
    .values({
      projectId: before.id,
      id: newId(),
      fromTier: before.tier,
      toTier: after.tier,
      reason: cause.reason,
      tierReason: after.reason,
      subscriptionId: cause.subscriptionId ?? after.subscriptionId,
      eventId: cause.eventId ?? null,
      actor: cause.actor ?? null,
      at: cause.at,
    })
    .execute();
}

/**
 * The tier cached in the project's row, or null if it has expired. The row has no subscription id.
 * A grace period ends exactly when its cache does, so its end need not be stored either.
 */
function cachedTier(project: Omit<LicensedProject, 'domains'>, now: Date): ResolvedTier | null {
  const validUntil = project.tierValidUntil ?? null;
  if (validUntil !== null && validUntil <= now) return null;
  // Only `recompute` writes both columns.
  const tier = project.tier as Tier;
  const reason = project.tierReason as TierReason;
  return { tier, reason, graceEndsAt: graceEndOf(reason, validUntil), validUntil, subscriptionId: null };
}

function resolve(
  project: Pick<LicensedProject, 'domains'>,
  subscriptions: Subscription[],
  { hostname, now }: { hostname?: string | undefined; now: Date },
): ResolvedTier {
  return resolveTier({ subscriptions, ownDomains: project.domains, hostname, now });
}
