import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import { type Author, authorName } from '../../audit/domain/author.js';
import type { Project } from '../../projects/domain/project.js';
import { lockProject } from '../../projects/project.rows.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { newId } from '../../../platform/identity/ids.js';
import { LicensingService } from '../licensing.service.js';
import { newSubscription, statusAfter, type Subscription } from '../domain/subscription.js';
import { deleteSubscription, findSubscription, writeSubscription } from '../subscription.rows.js';
import type { PaidTier, ResolvedTier, Tier } from '../domain/tier.js';

export interface SimulatedSubscription {
  /** `lite` deletes the synthetic subscription: no subscription grants it. */
  tier: Tier;
  /** Absent: `active`. An unknown value is stored as the provider's. */
  status?: string | undefined;
  currentPeriodEnd?: Date | undefined;
  /** Absent: now, if the status is `past_due`. */
  pastDueSince?: Date | undefined;
  /** Absent: now, if the status is `canceled`. */
  endedAt?: Date | undefined;
}

/** Upserts the one synthetic subscription of a project (spec §4.5). */
@Injectable()
export class SimulateTier {
  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
  ) {}

  /**
   * Returns the project's resulting tier.
   * @throws DomainError `project_not_found` if the project was deleted in the meantime.
   */
  simulate(request: {
    project: Project;
    author: Author;
    requested: SimulatedSubscription;
    now: Date;
  }): Promise<ResolvedTier> {
    const { project, author, requested, now } = request;
    return this.em.fork().transactional(async (tx) => {
      // Lock first: two concurrent calls must not both find no row and both insert one.
      const exists = await lockProject(tx, project.id);
      const subscriptionId = exists ? await upsert(tx, project.id, requested, now) : null;
      const resolved = await this.licensing.recompute(tx, project.id, {
        reason: 'simulate',
        at: now,
        actor: authorName(author),
        ...(subscriptionId !== null && { subscriptionId }),
      });
      if (!resolved) throw new DomainError('project_not_found', 'Project not found.');
      await writeAudit(tx, author, {
        projectId: project.id,
        action: 'tier.simulate',
        before: { tier: project.tier },
        after: { simulated: requested, tier: resolved.tier },
      });
      return resolved;
    });
  }
}

/** Returns the id of the row that was written or deleted; null: there was none to delete. */
async function upsert(
  tx: EntityManager,
  projectId: string,
  requested: SimulatedSubscription,
  now: Date,
): Promise<string | null> {
  const key = { provider: 'simulated', externalId: projectId } as const;
  const found = await findSubscription(tx, key);
  if (requested.tier === 'lite') {
    if (found) await deleteSubscription(tx, found);
    return found?.id ?? null;
  }
  const row = found ?? newSubscription({ ...key, projectId, id: newId() }, now);
  const told = columnsOf({ ...requested, tier: requested.tier }, found, now);
  await writeSubscription(tx, { ...row, ...told, updatedAt: now });
  return row.id;
}

/** Each call sets the whole row; only an unknown status keeps the row's values. */
function columnsOf(
  requested: SimulatedSubscription & { tier: PaidTier },
  found: Subscription | null,
  now: Date,
): Partial<Subscription> {
  const { tier, status = 'active', currentPeriodEnd, pastDueSince, endedAt } = requested;
  const canceled = status === 'canceled';
  const overdueSince = pastDueSince ?? (status === 'past_due' ? now : undefined);
  return {
    ...statusAfter(
      found,
      {
        status,
        tier,
        ...(overdueSince && { pastDueSince: overdueSince }),
        endedAt: endedAt ?? (canceled ? now : null),
        endReason: canceled ? 'requested' : null,
      },
      now,
    ),
    currentPeriodEnd: currentPeriodEnd ?? null,
  };
}
