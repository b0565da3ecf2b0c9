import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { ThrottledLog } from '../../operations/throttled-log.js';
import { queueReady, WORKER_OPTIONS } from '../../database/queue.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type OutboxSettings, outboxSettings } from '../outbox.settings.js';
import { type QueueSettings, queueSettings } from '../../database/database.settings.js';
import { OUTBOX_QUEUE, POLL_JOB } from '../infrastructure/wakeup-notifier.js';
import { OutboxDispatcher } from './outbox.dispatcher.js';
import { PartitionRotation } from './partition-rotation.js';
import { OutboxService } from '../outbox.service.js';
import { OutboxStore } from '../infrastructure/outbox.store.js';

/**
 * Interval at which a worker re-creates the poll schedule and polls: the longest delay after the
 * queue lost its data. While the queue is unavailable, the worker polls at `OUTBOX_POLL_MS`.
 */
const HEARTBEAT_MS = 5_000;

/** Wakes the dispatcher for each BullMQ job. Jobs carry no data; the outbox has it. */
@Processor(OUTBOX_QUEUE, WORKER_OPTIONS)
export class OutboxProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(OutboxProcessor.name);
  private readonly unreachable = new ThrottledLog(
    this.logger,
    'cannot connect to the queue; the worker polls until it is back',
  );
  private heartbeat: NodeJS.Timeout | null = null;
  private fallback: NodeJS.Timeout | null = null;
  private queueIsAway = false;
  private scheduling = false;

  constructor(
    private readonly dispatcher: OutboxDispatcher,
    private readonly store: OutboxStore,
    private readonly rotation: PartitionRotation,
    private readonly outbox: OutboxService,
    @InjectQueue(OUTBOX_QUEUE) private readonly queue: Queue,
    @InjectSettings(outboxSettings) private readonly settings: OutboxSettings,
    @InjectSettings(queueSettings) private readonly queueSettings: QueueSettings,
  ) {
    super();
  }

  // eslint-disable-next-line require-await -- BullMQ requires a promise
  override async process(): Promise<void> {
    this.dispatcher.requestPoll();
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.warnOfUnknownTopics();
    await queueReady(this.queueSettings, this.worker);
    // Not awaited: a worker starts, and polls at its heartbeat, while the queue is unavailable.
    void this.schedulePoll();
    this.rotation.start();
    this.dispatcher.requestPoll();
    this.heartbeat = setInterval(() => {
      void this.schedulePoll();
      this.dispatcher.requestPoll();
    }, HEARTBEAT_MS);
    // Without the queue no poll job arrives.
    this.fallback = setInterval(() => {
      if (this.queueIsAway) this.dispatcher.requestPoll();
    }, this.settings.pollMs);
  }

  onModuleDestroy(): void {
    // The embedded server may stop before the last connection closes.
    this.unreachable.silence();
    if (this.heartbeat) clearInterval(this.heartbeat);
    if (this.fallback) clearInterval(this.fallback);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.queueIsAway = true;
    this.unreachable.warn(error);
  }

  /**
   * A newer version wrote them, in a rolling upgrade or before a downgrade: they wait for a process
   * that handles them.
   */
  private async warnOfUnknownTopics(): Promise<void> {
    const topics = await this.store.topicsOtherThan(this.outbox.topics);
    if (topics.length === 0) return;
    this.logger.warn(
      { topics },
      'the outbox contains messages of topics that this version does not handle; they wait for a version that does',
    );
  }

  /** Schedules the poll, or finds it scheduled. An unavailable queue does not stop the worker. */
  private async schedulePoll(): Promise<void> {
    if (this.scheduling) return;
    this.scheduling = true;
    try {
      await this.queue.upsertJobScheduler(
        POLL_JOB,
        { every: this.settings.pollMs },
        { name: POLL_JOB, opts: { removeOnComplete: true, removeOnFail: true } },
      );
      this.queueIsAway = false;
    } catch (error) {
      this.queueIsAway = true;
      this.unreachable.warn(error);
    } finally {
      this.scheduling = false;
    }
  }
}
