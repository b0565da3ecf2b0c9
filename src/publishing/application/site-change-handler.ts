import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { TIER_CHANGED } from '../../licensing/licensing.events.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { OutboxHandler } from '../../outbox/outbox.handler.js';
import type { Attempt, AttemptResult, OutboxMessage, Settled } from '../../outbox/domain/outbox-message.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { BUG_SCHEDULE } from '../../outbox/domain/retry-schedule.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { isCutOff, STORAGE_TIMEOUT_MAX_MS } from '../../shared/object-storage.js';
import { StorageHealth } from '../infrastructure/storage-health.js';
import { CONFIGURATION_CHANGED, configurationChangedMessage } from '../publishing.events.js';
import {
  PUBLISH_CONCURRENCY_MAX,
  PUBLISH_SLOTS_SHARE,
  PUBLISH_WAITING_MAX,
} from '../domain/publishing.limits.js';
import { type Slot, Semaphore } from '../domain/semaphore.js';
import { PublishingMetrics } from '../infrastructure/publishing.metrics.js';
import { type PublishOutcome, PublishSite, StorageError } from './publish-site.js';

/** A write whose end is unknown might still be carried out; by then it is done, or never will be. */
const RECHECK_AFTER_MS = 60_000;
/** Cut-off writes that come closer together than this are looked after once. */
const RECHECK_FOLD_SECONDS = 10;
/** A message that has waited for its slot for more of its lease than this goes back into the outbox. */
const SLOT_WAIT_LEASE_SHARE = 1 / 5;
const FULL_WAIT_MS = 250;

/** What came of a message. */
export type SiteOutcome = PublishOutcome | 'worker_lost';

/**
 * Publishes what changed: the outbox's handler of every topic after which a site's configuration is another.
 * A message only says which project; what is published is what the rows say then, so messages may come twice,
 * late or in any order. However many of a project's messages come at once, it is published once for them.
 */
@Injectable()
export class SiteChangeHandler implements OutboxHandler<SiteOutcome>, OnModuleInit {
  readonly topics = [CONFIGURATION_CHANGED, TIER_CHANGED];
  readonly retry = BUG_SCHEDULE;
  /** One write; a worker that stops need not wait for those after it. */
  readonly attemptMaxMs = STORAGE_TIMEOUT_MAX_MS;
  private readonly slots: Semaphore;
  /** Projects that wait for a slot: later messages of the same project are published with them. */
  private readonly waiting = new Map<string, Promise<AttemptResult<SiteOutcome>>>();

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly projects: ProjectEvents,
    private readonly site: PublishSite,
    private readonly health: StorageHealth,
    private readonly metrics: PublishingMetrics,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
  ) {
    const slots = Math.max(1, Math.floor(settings.slots * PUBLISH_SLOTS_SHARE));
    this.slots = new Semaphore(
      Math.min(PUBLISH_CONCURRENCY_MAX, slots),
      Math.min(PUBLISH_CONCURRENCY_MAX + PUBLISH_WAITING_MAX, slots),
    );
  }

  onModuleInit(): void {
    this.outbox.register(this);
    // A site's own preview hosts are domains of the project; and a deleted project has no site.
    const publishAnew = (tx: EntityManager, projectId: string): Promise<void> =>
      this.outbox.append(tx, configurationChangedMessage(projectId));
    this.projects.listen({ changed: publishAnew, deleted: publishAnew });
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<SiteOutcome>[]> {
    return Promise.resolve(messages.map((message) => () => this.attempt(message)));
  }

  /** The objects are written by now. What is left is to look again where that is not the whole truth. */
  async settle(tx: EntityManager, settled: Settled<SiteOutcome>[]): Promise<void> {
    for (const { message, outcome } of settled) {
      if (outcome !== 'worker_lost') continue;
      await this.outbox.append(tx, configurationChangedMessage(message.subjectId, true));
    }
  }

  /** There is no giving up: a site must not stay as it is because workers died. It is tried again later. */
  discard(): AttemptResult<SiteOutcome> {
    return { kind: 'settled', outcome: 'worker_lost', healthy: true };
  }

  /** Publishes the message's project, at once or together with a message that already waits. */
  private attempt(message: OutboxMessage): Promise<AttemptResult<SiteOutcome>> {
    const { subjectId: projectId, payload, failures } = message;
    if (payload?.recheck === true && failures === 0) {
      return Promise.resolve({
        kind: 'retry',
        afterMs: RECHECK_AFTER_MS,
        error: 'Waiting to publish again after a write with an unknown result.',
      });
    }
    const known = this.waiting.get(projectId);
    if (known) return known;
    const slot = this.slots.acquire();
    if (!slot) return Promise.resolve(retry(FULL_WAIT_MS, 'Other projects are published first.'));
    const attempt = this.inSlot(projectId, slot, message.createdAt);
    this.waiting.set(projectId, attempt);
    return attempt;
  }

  private async inSlot(projectId: string, slot: Slot, changedAt: Date): Promise<AttemptResult<SiteOutcome>> {
    const askedMs = performance.now();
    await slot.free;
    this.waiting.delete(projectId);
    try {
      // The lease that is left must be long enough to publish under.
      if (performance.now() - askedMs > this.settings.leaseMs * SLOT_WAIT_LEASE_SHARE) {
        return retry(0, 'Publishing other projects took too long.');
      }
      return await this.publish(projectId, changedAt);
    } finally {
      slot.release();
    }
  }

  private async publish(projectId: string, changedAt: Date): Promise<AttemptResult<SiteOutcome>> {
    const waitMs = this.health.enter(performance.now());
    if (waitMs > 0) return retry(waitMs, 'Object storage does not respond; pausing.');
    try {
      const kind = await this.site.publish(projectId);
      if (kind === 'busy') {
        this.health.unused();
        return retry(FULL_WAIT_MS, 'Another worker is publishing this project.');
      }
      this.health.worked(performance.now());
      this.metrics.published(changedAt);
      return { kind: 'settled', outcome: kind, healthy: true };
    } catch (error) {
      if (error instanceof StorageError) {
        const afterMs = this.health.failed(error.cause, performance.now());
        if (isCutOff(error)) await this.recheckLater(projectId);
        return retry(afterMs, sentenceOf(error.cause));
      }
      this.health.unused();
      throw error;
    }
  }

  /**
   * A write without a response may land after newer writes, also of other workers. Schedules another
   * publication of the project for when writes in flight are over.
   */
  private async recheckLater(projectId: string): Promise<void> {
    const message = configurationChangedMessage(projectId, true);
    await this.em.fork().transactional(async (tx) => {
      const isKnown = await this.outbox.hasRecent(tx, message.orderingKey, RECHECK_FOLD_SECONDS);
      if (!isKnown) await this.outbox.append(tx, message);
    });
  }
}

function retry(afterMs: number, error: string): AttemptResult<SiteOutcome> {
  return { kind: 'retry', afterMs, error };
}

/** For `last_error`, which an operator reads: what storage said, without its request. */
function sentenceOf(cause: unknown): string {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (!(error.cause instanceof Error)) return `Object storage failed: ${error.name}: ${error.message}`;
  }
  return 'Object storage failed.';
}
