import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import {
  allowClaim,
  countThrottled,
  nextClaimAt,
  removeThrottles,
} from '../../../platform/outbox/claim-throttles.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../../platform/operations/recent-answer.js';
import { type ForwardingSettings, forwardingSettings } from '../forwarding.settings.js';
import { ForwardingMetrics } from '../infrastructure/forwarding.metrics.js';
import { CONSENT_RECORDED } from '../../consent/domain/consent-recorded.js';
import { countHeld, forgetAllHolds, forgetProbes, readHold } from '../infrastructure/hold.rows.js';
import { countAllRetries } from '../infrastructure/retry-views.rows.js';
import { releaseRetries } from '../infrastructure/retry.rows.js';
import { throttleKeyFor } from './settle-holds.js';

/** Limit of the count of records behind one throttle, for the metrics. */
const HELD_COUNT_MAX = 100_000;
/** Limit of the count of retries of all projects, for the metrics. */
const RETRYING_COUNT_MAX = 100_000;

export const HOLD_STATES = ['active', 'held'] as const;

/** Whether a project's records are held back until its receiver recovers. */
export interface HoldView {
  state: (typeof HOLD_STATES)[number];
  /** null while active, as are the two below. */
  heldSince: Date | null;
  /** The failure that started it, a sentence for the owner. */
  heldReason: string | null;
  /**
   * When the oldest record is sent; during an attempt, when that attempt counts as lost and the
   * next one starts.
   */
  nextProbeAt: Date | null;
}

/** Reads and resumes holds. */
@Injectable()
export class HoldService implements OnApplicationBootstrap {
  private readonly logger = new Logger(HoldService.name);
  private readonly isSwitchedOff: boolean;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly licensing: LicensingService,
    metrics: ForwardingMetrics,
    @InjectSettings(forwardingSettings) { holdHours }: ForwardingSettings,
  ) {
    this.isSwitchedOff = holdHours === 0;
    const counted = new RecentAnswer(() => this.count(), BACKLOG_AGE_MAX_MS);
    metrics.watchHolds(() => counted.get());
    const retrying = new RecentAnswer(
      () => countAllRetries(this.em.fork(), RETRYING_COUNT_MAX),
      BACKLOG_AGE_MAX_MS,
    );
    metrics.watchRetries(() => retrying.get());
  }

  /** If the operator has disabled holds, queued records are released. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.isSwitchedOff) await this.releaseAll();
  }

  /**
   * A project that does not forward (switched off, or the tier does not allow it) is active at
   * once.
   */
  async read(projectId: string, isEnabled: boolean): Promise<HoldView> {
    const hold = isEnabled ? await readHold(this.em.fork(), projectId) : null;
    if (hold?.phase !== 'open' || !(await this.mayForward(projectId)))
      return { state: 'active', heldSince: null, heldReason: null, nextProbeAt: null };
    return {
      state: 'held',
      heldSince: hold.heldSince,
      heldReason: hold.heldReason,
      nextProbeAt: await nextClaimAt(this.em.fork(), throttleKeyFor(projectId)),
    };
  }

  /**
   * Sends the oldest queued record now, on request of a user; does nothing if the project is not
   * held.
   */
  async resume(projectId: string, author: Author): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      if (await this.probe(tx, projectId))
        await writeAudit(tx, author, { projectId, action: 'forwarding.resume' });
    });
  }

  /** Call this after a successful Test. */
  async endpointAnswered(projectId: string): Promise<void> {
    await this.em.fork().transactional((tx) => this.probe(tx, projectId));
  }

  /**
   * Sends the oldest queued record of a held project now and resets the back-off; returns whether
   * it is held. Waiting retries become due soon.
   */
  async probe(tx: EntityManager, projectId: string): Promise<boolean> {
    // Before the hold's row: settlement locks retries before holds.
    await releaseRetries(tx, [projectId]);
    const isHeld = await forgetProbes(tx, projectId);
    if (await allowClaim(tx, throttleKeyFor(projectId))) this.outbox.notifyAfterCommit(tx);
    return isHeld;
  }

  private async mayForward(projectId: string): Promise<boolean> {
    const tierOf = await this.licensing.tiersOf([projectId], new Date());
    const resolved = tierOf(projectId, null);
    return resolved !== null && FORWARDING_TIERS.includes(resolved.tier);
  }

  private async releaseAll(): Promise<void> {
    const released = await this.em.fork().transactional(async (tx) => {
      const projectIds = await forgetAllHolds(tx);
      await removeThrottles(tx, projectIds.map(throttleKeyFor));
      this.outbox.notifyAfterCommit(tx);
      return projectIds.length;
    });
    if (released > 0)
      this.logger.warn({ projects: released }, 'holds are turned off; sending records that were on hold');
  }

  private async count(): Promise<{ projects: number; records: number }> {
    const [projects, records] = await Promise.all([
      countHeld(this.em.fork()),
      countThrottled(this.em.fork(), CONSENT_RECORDED, HELD_COUNT_MAX),
    ]);
    return { projects, records };
  }
}
