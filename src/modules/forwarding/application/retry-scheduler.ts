import {
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { CONSENT_RECORDED, consentKey } from '../../consent/domain/consent-recorded.js';
import { ConsentRecords } from '../../consent/consent.records.js';
import { FORWARDING_TIERS } from '../../licensing/domain/catalogue.js';
import { LicensingService } from '../../licensing/licensing.service.js';
import { countWaiting } from '../../../platform/outbox/queued-messages.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { ThrottledLog } from '../../../platform/operations/throttled-log.js';
import { retryKey, retryPayload } from '../domain/retry.js';
import {
  countQueuedRetries,
  deleteRetries,
  endRetries,
  nextRetries,
  PROJECTS_PER_STEP,
  queueRetries,
  type RetryingProject,
  retryingProjects,
} from '../infrastructure/retry.rows.js';
import { recordQueue } from './delivery-log.service.js';

/** Interval of steps while retries are waiting. */
const STEP_MS = 1_000;
/** Interval while there are none: no longer than the shortest retry delay. */
const IDLE_STEP_MS = 5_000;
/** Retries of one project in the outbox at once, so that claims of other projects skip few messages. */
const QUEUED_MAX = 64;
/** Retries per delete statement, and statements per step for a project. */
const END_BATCH_MAX = 1_000;
const END_BATCHES_MAX = 10;
const LOWEST_UUID = '00000000-0000-0000-0000-000000000000';

/**
 * Queues records whose retry is due, and ends retries whose period is over, or whose project no
 * longer retries or forwards. Runs in each worker; a row lock gives each record to one of them.
 */
@Injectable()
export class RetryScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly failure = new ThrottledLog(
    new Logger(RetryScheduler.name),
    'could not queue retries; trying again',
  );
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private stopping = false;
  private afterId = LOWEST_UUID;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly records: ConsentRecords,
    private readonly licensing: LicensingService,
  ) {}

  onApplicationBootstrap(): void {
    this.stepIn(STEP_MS);
  }

  /** Waits for a step in progress, which may be about to queue records. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private stepIn(waitMs: number): void {
    if (this.stopping) return;
    this.timer = setTimeout(() => {
      this.running = this.run().finally(() => {
        this.running = null;
      });
    }, waitMs).unref();
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    let waitMs = STEP_MS;
    try {
      if (!(await this.step())) waitMs = IDLE_STEP_MS;
    } catch (error) {
      this.failure.warn(error);
    }
    this.stepIn(waitMs);
  }

  /** Visits the next projects with retries; returns whether there are any. */
  async step(): Promise<boolean> {
    const projects = await retryingProjects(this.em.fork(), this.afterId);
    const isFirst = this.afterId === LOWEST_UUID;
    this.afterId =
      projects.length === PROJECTS_PER_STEP ? (projects.at(-1)?.projectId ?? LOWEST_UUID) : LOWEST_UUID;
    if (projects.length === 0) return !isFirst;
    const tierOf = await this.licensing.tiersOf(
      projects.map(({ projectId }) => projectId),
      new Date(),
    );
    for (const project of projects) {
      if (this.stopping) break;
      const tier = tierOf(project.projectId, null)?.tier;
      const hours = tier && FORWARDING_TIERS.includes(tier) ? project.hours : null;
      await this.visit({ ...project, hours });
    }
    return true;
  }

  private async visit(project: RetryingProject): Promise<void> {
    const { projectId, hours, phase, isDue } = project;
    await this.end(projectId, hours);
    if (hours === null) return;
    // During a hold, retries serve as probes if no other record of the project is waiting.
    if (phase !== null && phase !== 'closed') await this.queueProbe(projectId);
    else if (isDue) await this.queueDue(projectId);
  }

  /** Deleting a million takes some minutes, during which other projects get their turns. */
  private async end(projectId: string, hours: number | null): Promise<void> {
    for (let batch = 0; batch < END_BATCHES_MAX && !this.stopping; batch++) {
      const ended = await endRetries(this.em.fork(), projectId, { hours, limit: END_BATCH_MAX });
      if (ended < END_BATCH_MAX) return;
    }
  }

  private async queueProbe(projectId: string): Promise<void> {
    const { count } = await countWaiting(this.em.fork(), recordQueue(projectId), 1);
    if (count === 0) await this.queue(projectId, projectId, { isAny: true, limit: 1 });
  }

  private async queueDue(projectId: string): Promise<void> {
    const queued = await countQueuedRetries(this.em.fork(), projectId, QUEUED_MAX);
    if (queued < QUEUED_MAX)
      await this.queue(projectId, retryKey(projectId), { isAny: false, limit: QUEUED_MAX - queued });
  }

  /** Locks the records first, as erasure does. */
  private async queue(
    projectId: string,
    orderingKey: string,
    which: { isAny: boolean; limit: number },
  ): Promise<void> {
    await this.em.fork().transactional(async (tx) => {
      const refs = (await nextRetries(tx, projectId, which)).map(({ consentId }) => ({
        projectId,
        consentId,
      }));
      if (refs.length === 0) return;
      const existing = await this.records.lockExisting(tx, refs);
      const gone = refs.filter((ref) => !existing.has(consentKey(ref)));
      await deleteRetries(tx, gone);
      const kept = refs.filter((ref) => existing.has(consentKey(ref))).map(({ consentId }) => consentId);
      const queued = await queueRetries(tx, projectId, kept);
      await this.outbox.appendMany(
        tx,
        queued.map(({ consentId, attempts, firstAttemptAt, queuedSince }) => ({
          orderingKey,
          projectId,
          topic: CONSENT_RECORDED,
          subjectId: consentId,
          payload: retryPayload({ attempt: attempts + 1, firstAttemptAt, queuedAt: queuedSince }),
        })),
      );
    });
  }
}
