import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { ThrottledLog } from '../../../platform/operations/throttled-log.js';
import { countOfTopic } from '../../../platform/outbox/queued-messages.js';
import { OutboxService } from '../../../platform/outbox/outbox.service.js';
import { type OutboxSettings, outboxSettings } from '../../../platform/outbox/outbox.settings.js';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { DELIVERY_MAX_MS } from '../domain/schedule.js';
import { EVENT_DUE, EVENT_REPEAT } from '../events.topics.js';
import { countQueued, expireDeliveries, nextDueAt, queueWaiting } from '../infrastructure/delivery.rows.js';
import {
  type EndpointCircuit,
  lockWoken,
  wakeForgotten,
  writeCircuit,
} from '../infrastructure/endpoint.rows.js';

const STEP_MS = 1_000;
/** Interval of the search for expired deliveries and forgotten endpoints. */
const SWEEP_MS = 30_000;
/** Endpoints of one transaction, and transactions of a step. */
const ENDPOINTS_MAX = 64;
const BATCHES_MAX = 16;
/** Deliveries of one endpoint in the outbox at once, so that a hold stops the others. */
const QUEUED_MAX = 32;
/**
 * Deliveries to failing and untested endpoints in the outbox at once, over all projects: twice the slots of a worker.
 * With 10,000, the median consent record waited three times as long for its claim (32 ms instead of 11).
 */
const REPEATS_MAX = 96;
/** Of these, deliveries of one endpoint. */
const REPEATS_PER_ENDPOINT = 4;
/** How often a held endpoint without waiting events is looked at. */
const IDLE_HOLD_MS = 15_000;
const EXPIRED_BATCH_MAX = 500;

/**
 * Queues deliveries that are due, probes of held endpoints, and the batches after a hold; fails what is too old. Runs
 * in each worker; the lock of an endpoint's row gives it to one of them.
 */
@Injectable()
export class EventScheduler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly failure = new ThrottledLog(
    new Logger(EventScheduler.name),
    'could not queue events; trying again',
  );
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private stopping = false;
  private sweptAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
  ) {}

  onApplicationBootstrap(): void {
    this.stepLater();
  }

  /** Waits for a step in progress, which may be about to queue events. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopping = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private stepLater(): void {
    if (this.stopping) return;
    this.timer = setTimeout(() => {
      this.running = this.run().finally(() => {
        this.running = null;
      });
    }, STEP_MS).unref();
  }

  /** Never rejects. */
  private async run(): Promise<void> {
    try {
      await this.step(performance.now());
    } catch (error) {
      this.failure.warn(error);
    }
    this.stepLater();
  }

  private async step(nowMs: number): Promise<void> {
    if (nowMs - this.sweptAtMs >= SWEEP_MS) {
      await this.sweep(new Date());
      this.sweptAtMs = nowMs;
    }
    for (let batch = 0; batch < BATCHES_MAX && !this.stopping; batch++)
      if ((await this.visitWoken({ working: true, limit: ENDPOINTS_MAX })) < ENDPOINTS_MAX) break;
    const room = REPEATS_MAX - (await countOfTopic(this.em.fork(), EVENT_REPEAT, REPEATS_MAX));
    // Each of these queues at least one delivery, or none.
    const limit = Math.min(ENDPOINTS_MAX, room);
    if (limit > 0 && !this.stopping) await this.visitWoken({ working: false, limit });
  }

  /** Fails deliveries that are too old, and wakes endpoints that were forgotten. */
  async sweep(now: Date): Promise<void> {
    const before = new Date(now.getTime() - DELIVERY_MAX_MS);
    let expired: number;
    do
      expired = await this.em
        .fork()
        .transactional((tx) => expireDeliveries(tx, { before, limit: EXPIRED_BATCH_MAX }));
    while (expired === EXPIRED_BATCH_MAX && !this.stopping);
    await wakeForgotten(this.em.fork());
  }

  /** Visits the next endpoints; returns how many. */
  private async visitWoken(next: { working: boolean; limit: number }): Promise<number> {
    return this.em.fork().transactional(async (tx) => {
      const states = await lockWoken(tx, next);
      for (const state of states) await writeCircuit(tx, await this.visit(tx, state));
      return states.length;
    });
  }

  private async visit(tx: EntityManager, state: EndpointCircuit): Promise<EndpointCircuit> {
    if (!state.enabled) return { ...state, wakeAt: null };
    return state.phase === 'closed' ? this.queueDue(tx, state) : this.queueBatch(tx, state);
  }

  private async queueDue(tx: EntityManager, state: EndpointCircuit): Promise<EndpointCircuit> {
    const most = state.isWorking ? QUEUED_MAX : REPEATS_PER_ENDPOINT;
    const free = most - (await countQueued(tx, state, most));
    const eventIds = free > 0 ? await queueWaiting(tx, state, { dueOnly: true, limit: free }) : [];
    await this.append(tx, state, eventIds, state.isWorking ? EVENT_DUE : EVENT_REPEAT);
    const dueAt = await nextDueAt(tx, state);
    const soon = later(state.now, STEP_MS);
    return { ...state, wakeAt: dueAt === null || dueAt > soon ? dueAt : soon };
  }

  /** The next probe of a held endpoint, or the next batch after a hold. */
  private async queueBatch(tx: EntityManager, state: EndpointCircuit): Promise<EndpointCircuit> {
    if (state.nextClaimAt !== null && state.nextClaimAt > state.now)
      return { ...state, wakeAt: state.nextClaimAt };
    const dueOnly = state.phase === 'half_open';
    const eventIds = await queueWaiting(tx, state, { dueOnly, limit: state.claimLimit });
    if (eventIds.length === 0) {
      if (state.phase !== 'half_open') return { ...state, wakeAt: later(state.now, IDLE_HOLD_MS) };
      const closed = {
        phase: 'closed',
        nextClaimAt: null,
        batchLimit: 1,
        answeredProbe: 0,
        probeNumber: 0,
      } as const;
      return this.queueDue(tx, { ...state, ...closed });
    }
    const probeNumber = state.probeNumber + 1;
    await this.append(tx, { ...state, probeNumber }, eventIds, EVENT_REPEAT);
    // Until these have an outcome, which schedules the next batch; or their worker is lost.
    const nextClaimAt = later(state.now, this.settings.leaseMs);
    return { ...state, probeNumber, nextClaimAt, wakeAt: nextClaimAt };
  }

  private async append(
    tx: EntityManager,
    { projectId, id, phase, probeNumber }: EndpointCircuit,
    eventIds: readonly string[],
    topic: string,
  ): Promise<void> {
    await this.outbox.appendMany(
      tx,
      eventIds.map((subjectId) => ({
        orderingKey: id,
        projectId,
        topic,
        subjectId,
        ...(phase !== 'closed' && { payload: { probe: probeNumber } }),
      })),
    );
  }
}

function later(instant: Date, ms: number): Date {
  return new Date(instant.getTime() + ms);
}
