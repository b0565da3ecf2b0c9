import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeEvents } from '../../events/event.log.js';
import { TIER_CHANGED } from '../../licensing/licensing.events.js';
import { hasRecent } from '../../../platform/outbox/queued-messages.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import type { OutboxHandler } from '../../../platform/outbox/outbox.handler.js';
import {
  BUG_SCHEDULE,
  type Attempt,
  type AttemptResult,
  type Failure,
  type OutboxMessage,
  type Settled,
} from '../../../platform/outbox/domain/outbox-message.js';
import { ProjectEvents } from '../../projects/projects.events.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { isCutOff, STORAGE_TIMEOUT_MAX_MS } from '../../../platform/storage/object-storage.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { FairSemaphore } from '../../../platform/limits/fair-semaphore.js';
import { StorageCircuitBreaker } from '../infrastructure/site-storage.js';
import { CONFIGURATION_CHANGED, configurationChangedMessage } from '../publishing.events.js';
import {
  PUBLISH_CONCURRENCY_MAX,
  PUBLISH_SLOTS_SHARE,
  PUBLISH_WAITING_MAX,
} from '../domain/publishing.limits.js';
import { PublishingMetrics } from '../infrastructure/publishing.metrics.js';
import { type PublishOutcome, PublishSite, StorageError } from './publish-site.js';

/** A write with an unknown result may still be executed; after this time it is done, or never will be. */
const RECHECK_AFTER_MS = 60_000;
/** Cut-off writes that come closer together than this are looked after once. */
const RECHECK_FOLD_SECONDS = 10;
/** Share of the lease for which a message waits for a permit. The rest must be long enough to publish. */
const PERMIT_WAIT_LEASE_SHARE = 1 / 5;
const FULL_WAIT_MS = 250;
/** All projects share one key: a project waits at most once (`waiting`), so turns by key would change nothing. */
const ALL_PROJECTS = 'all';

/** The result of a message. */
export type SiteOutcome = PublishOutcome | 'worker_lost' | 'storage_failed';

/**
 * Handles every topic that changes a site's published files. Messages only name the project; the
 * current rows are published, so messages may be repeated, late or in any order. All messages of a
 * project in a batch lead to one publication.
 */
@Injectable()
export class SiteChangeHandler implements OutboxHandler<SiteOutcome>, OnModuleInit {
  readonly topics = [CONFIGURATION_CHANGED, TIER_CHANGED];
  readonly retry = BUG_SCHEDULE;
  /** One write; a worker that stops need not wait for those after it. */
  readonly attemptMaxMs = STORAGE_TIMEOUT_MAX_MS;
  private readonly permits: FairSemaphore;
  /** Projects that wait for a permit. Later messages of the same project are published with them. */
  private readonly waiting = new Map<string, Promise<AttemptResult<SiteOutcome>>>();

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly projects: ProjectEvents,
    private readonly site: PublishSite,
    private readonly storage: StorageCircuitBreaker,
    private readonly metrics: PublishingMetrics,
    @InjectSettings(outboxSettings) settings: OutboxSettings,
  ) {
    const slots = Math.max(1, Math.floor(settings.slots * PUBLISH_SLOTS_SHARE));
    const permits = Math.min(PUBLISH_CONCURRENCY_MAX, slots);
    this.permits = new FairSemaphore({
      permits,
      permitsPerKey: permits,
      waitingPerKeyMax: Math.min(PUBLISH_WAITING_MAX, slots - permits),
      waitMs: settings.leaseMs * PERMIT_WAIT_LEASE_SHARE,
      retryAfterSeconds: 0,
    });
  }

  onModuleInit(): void {
    this.outbox.register(this);
    // A site's own preview hosts are domains of the project; and a deleted project has no site.
    const publishAnew = (tx: EntityManager, projectId: string): Promise<void> =>
      this.outbox.append(tx, configurationChangedMessage(projectId));
    this.projects.listen({ changed: publishAnew, deleted: publishAnew });
  }

  prepare(messages: OutboxMessage[]): Promise<Attempt<SiteOutcome>[]> {
    return Promise.resolve(messages.map((message) => (signal) => this.attempt(message, signal)));
  }

  /** The objects are written at this point. If their state is uncertain, a recheck is scheduled. */
  async settle(tx: EntityManager, settled: Settled<SiteOutcome>[]): Promise<void> {
    for (const { message, outcome } of settled) {
      if (outcome !== 'worker_lost') continue;
      await this.outbox.append(tx, configurationChangedMessage(message.subjectId, true));
    }
  }

  /** Tells receivers once for each change: a failed publication is tried again. */
  async failed(
    tx: EntityManager,
    { subjectId, failures }: OutboxMessage,
    { kind, outcome }: Failure<SiteOutcome>,
  ): Promise<void> {
    const isFirst = kind === 'retry' && outcome === 'storage_failed' && failures === 0;
    if (isFirst || kind === 'dead')
      await writeEvents(tx, subjectId, [{ type: 'configuration.publish_failed', id: subjectId, data: {} }]);
  }

  /** Never dead-letters: a site must be republished even after workers crashed. */
  discard(): AttemptResult<SiteOutcome> {
    return { kind: 'settled', outcome: 'worker_lost', healthy: true };
  }

  /** Publishes the message's project, at once or together with a message that already waits. */
  private attempt(message: OutboxMessage, signal: AbortSignal): Promise<AttemptResult<SiteOutcome>> {
    const { subjectId: projectId, payload, failures } = message;
    if (payload?.recheck === true && failures === 0)
      return Promise.resolve({
        kind: 'retry',
        afterMs: RECHECK_AFTER_MS,
        error: 'Waiting to publish again after a write with an unknown result.',
      });
    const known = this.waiting.get(projectId);
    if (known) return known;
    const attempt = this.attemptWithPermit(projectId, message.createdAt, signal);
    this.waiting.set(projectId, attempt);
    return attempt;
  }

  private async attemptWithPermit(
    projectId: string,
    changedAt: Date,
    signal: AbortSignal,
  ): Promise<AttemptResult<SiteOutcome>> {
    let release: () => void;
    try {
      release = await this.permits.acquire(ALL_PROJECTS, signal);
    } catch (error) {
      if (error instanceof DomainError || signal.aborted)
        return retry(FULL_WAIT_MS, 'Other projects are published first.');
      throw error;
    } finally {
      this.waiting.delete(projectId);
    }
    try {
      return await this.publish(projectId, changedAt);
    } finally {
      release();
    }
  }

  private async publish(projectId: string, changedAt: Date): Promise<AttemptResult<SiteOutcome>> {
    const waitMs = this.storage.acquire(performance.now());
    if (waitMs > 0) return retry(waitMs, 'Object storage does not respond; pausing.');
    try {
      const kind = await this.site.publish(projectId);
      if (kind === 'busy') {
        this.storage.release();
        return retry(FULL_WAIT_MS, 'Another worker is publishing this project.');
      }
      this.storage.succeeded(performance.now());
      this.metrics.published(changedAt);
      return { kind: 'settled', outcome: kind, healthy: true };
    } catch (error) {
      if (error instanceof StorageError) {
        const afterMs = this.storage.failed(error.cause, performance.now());
        if (isCutOff(error)) await this.recheckLater(projectId);
        return { ...retry(afterMs, sentenceOf(error.cause)), outcome: 'storage_failed' };
      }
      this.storage.release();
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
      const isKnown = await hasRecent(tx, message.orderingKey, RECHECK_FOLD_SECONDS);
      if (!isKnown) await this.outbox.append(tx, message);
    });
  }
}

function retry(afterMs: number, error: string): Extract<AttemptResult<SiteOutcome>, { kind: 'retry' }> {
  return { kind: 'retry', afterMs, error };
}

/** The text of `last_error` for an operator: storage's error, without its request. */
function sentenceOf(cause: unknown): string {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (!(error.cause instanceof Error)) return `Object storage failed: ${error.name}: ${error.message}`;
  }
  return 'Object storage failed.';
}
