import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { lockExpiredTiers } from '../../projects/project.rows.js';
import { Maintenance } from '../../../platform/operations/maintenance.js';
import { LicensingService } from '../licensing.service.js';

const SWEEP_EVERY_MS = 60_000;
/** Projects per transaction, whose locks are held for some hundred milliseconds at most. */
export const TIER_SWEEP_BATCH_MAX = 100;
/** Batches per sweep; the rest waits for the next one and is not over-granted until then. */
const TIER_SWEEP_BATCHES_MAX = 100;

/** Recomputes tiers whose cache has expired, e.g. because a grace period ended (design §6.2). */
@Injectable()
export class TierSweeper implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly licensing: LicensingService,
    private readonly maintenance: Maintenance,
  ) {}

  onModuleInit(): void {
    this.maintenance.register({ name: 'tier-sweep', everyMs: SWEEP_EVERY_MS, run: (now) => this.sweep(now) });
  }

  /**
   * Recomputes the tier of every project whose cached tier expired at or before `now`. Several
   * workers may sweep at the same time: each project is computed by one of them. Returns the number
   * of projects computed by this call.
   */
  async sweep(now: Date): Promise<number> {
    let total = 0;
    for (let batch = 0; batch < TIER_SWEEP_BATCHES_MAX; batch += 1) {
      const swept = await this.em.fork().transactional((tx) => this.sweepBatch(tx, now));
      total += swept;
      if (swept < TIER_SWEEP_BATCH_MAX) break;
    }
    return total;
  }

  private async sweepBatch(tx: EntityManager, now: Date): Promise<number> {
    const ids = await lockExpiredTiers(tx, { now, limit: TIER_SWEEP_BATCH_MAX });
    for (const id of ids) await this.licensing.recompute(tx, id, { reason: 'sweep', at: now });
    return ids.length;
  }
}
