import { OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { queueReady, WORKER_OPTIONS } from '../../shared/queue.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type QueueSettings, queueSettings } from '../../shared/queue.settings.js';
import { type OutboxSettings, outboxSettings } from '../../outbox/outbox.settings.js';
import { EventWorker } from './event-worker.js';
import { BILLING_QUEUE } from '../infrastructure/billing.bell.js';

/**
 * The worker's end of the doorbell. It also looks by itself, as often as the outbox polls: retries and leases
 * that ran out come due without a ring, and a queue that lost everything must cost no more than that.
 */
@Processor(BILLING_QUEUE, WORKER_OPTIONS)
export class BillingProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly unreachable = new ThrottledLog(
    new Logger(BillingProcessor.name),
    'the billing queue cannot be reached; the worker looks by itself',
  );
  private poll: NodeJS.Timeout | null = null;

  constructor(
    private readonly events: EventWorker,
    @SettingsFrom(queueSettings) private readonly queueSettings: QueueSettings,
    @SettingsFrom(outboxSettings) private readonly outboxSettings: OutboxSettings,
  ) {
    super();
  }

  // eslint-disable-next-line require-await -- BullMQ wants a promise
  override async process(): Promise<void> {
    this.events.ring();
  }

  async onApplicationBootstrap(): Promise<void> {
    await queueReady(this.queueSettings, this.worker);
    this.events.ring();
    this.poll = setInterval(() => this.events.ring(), this.outboxSettings.pollMs);
  }

  onModuleDestroy(): void {
    if (this.poll) clearInterval(this.poll);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.unreachable.warn(error);
  }
}
