import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { BACKLOG_AGE_MAX_MS, RecentAnswer } from '../../shared/recent-answer.js';
import { type ForwardingSettings, forwardingSettings } from '../forwarding.settings.js';
import { ForwardingMetrics } from '../infrastructure/forwarding.metrics.js';
import { CONSENT_RECORDED } from '../../consent/domain/consent-recorded.js';
import { countHeld, forgetAllHolds, forgetProbes, readHold } from '../infrastructure/hold.rows.js';
import { countAllRetries } from '../infrastructure/retry-views.rows.js';
import { releaseRetries } from '../infrastructure/retry.rows.js';
import { throttleKeyFor } from './settle-holds.js';

/** Records behind one throttle are counted up to here for the metrics. */
const HELD_COUNT_MAX = 100_000;
/** Retries of all projects are counted up to here for the metrics. */
const RETRYING_COUNT_MAX = 100_000;

export const HOLD_STATES = ['active', 'held'] as const;

/** Whether a project's records wait for its receiver. */
export interface HoldView {
  state: (typeof HOLD_STATES)[number];
  /** null while active, as the two that follow. */
  heldSince: Date | null;
  /** The failure that began it, a sentence for the owner. */
  heldReason: string | null;
  /** When the oldest record is sent; while it is under way, when it counts as lost and the next one goes. */
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

  /** If the operator has disabled holds, queued records no longer wait for a probe. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.isSwitchedOff) await this.releaseAll();
  }

  /** A project that does not forward, because it is switched off or lost its tier, is active at once. */
  async read(projectId: string, isEnabled: boolean): Promise<HoldView> {
    const hold = isEnabled ? await readHold(this.em.fork(), projectId) : null;
    if (hold?.phase !== 'open' || !(await this.mayForward(projectId)))
      return { state: 'active', heldSince: null, heldReason: null, nextProbeAt: null };
    return {
      state: 'held',
      heldSince: hold.heldSince,
      heldReason: hold.heldReason,
      nextProbeAt: await this.outbox.nextClaimAt(throttleKeyFor(projectId)),
    };
  }

  /** Sends the oldest queued record now, at the request of a user; does nothing if the project is not held. */
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
   * Sends the oldest queued record of a held project now and resets the back-off; returns whether it is held. Retries
   * that wait are due soon.
   */
  async probe(tx: EntityManager, projectId: string): Promise<boolean> {
    // Before the hold's row: a transaction that settles outcomes locks retries before holds.
    await releaseRetries(tx, [projectId]);
    const isHeld = await forgetProbes(tx, projectId);
    await this.outbox.allowClaim(tx, throttleKeyFor(projectId));
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
      await this.outbox.removeThrottles(tx, projectIds.map(throttleKeyFor));
      return projectIds.length;
    });
    if (released > 0)
      this.logger.warn({ projects: released }, 'holds are turned off; sending records that were on hold');
  }

  private async count(): Promise<{ projects: number; records: number }> {
    const [projects, records] = await Promise.all([
      countHeld(this.em.fork()),
      this.outbox.countThrottled(CONSENT_RECORDED, HELD_COUNT_MAX),
    ]);
    return { projects, records };
  }
}
