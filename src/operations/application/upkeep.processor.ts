import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { BillingUpkeep } from '../../billing/application/billing-upkeep.js';
import { DeliveryPartitions } from '../../forwarding/application/delivery-partitions.js';
import { TierSweeper } from '../../licensing/application/tier-sweeper.js';
import { Complaint } from '../../shared/complaint.js';
import { queueReady, QUEUES, WORKER_OPTIONS } from '../../shared/queue.js';
import { InjectSettings, type Settings } from '../../shared/settings.js';
import { ConsentPartitions } from '../../consent/application/consent-partitions.js';
import { ConsentRollup } from '../../consent/application/consent.rollup.js';

export const UPKEEP_QUEUE = QUEUES.upkeep;

const MINUTE_MS = 60_000;
/** What is not in the rollups yet is counted anew with every question, so this stays short. */
const ROLLUP_MS = 15_000;
/** How often a worker makes sure that the schedules exist: a queue that was emptied gets them back. */
const RESCHEDULE_MS = MINUTE_MS;

interface Task {
  everyMs: number;
  run(now: Date): Promise<unknown>;
}

/** What has to be done from time to time, by one worker of however many. Every task may run twice. */
@Processor(UPKEEP_QUEUE, WORKER_OPTIONS)
export class UpkeepProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(UpkeepProcessor.name);
  private readonly unreachable = new Complaint(this.logger, 'the upkeep queue cannot be reached');
  private timer: NodeJS.Timeout | null = null;
  private scheduling = false;
  private readonly tasks: Record<string, Task>;

  constructor(
    consentPartitions: ConsentPartitions,
    rollup: ConsentRollup,
    deliveryPartitions: DeliveryPartitions,
    tiers: TierSweeper,
    billing: BillingUpkeep,
    @InjectQueue(UPKEEP_QUEUE) private readonly queue: Queue,
    @InjectSettings() private readonly settings: Settings,
  ) {
    super();
    // BullMQ writes an error that nobody listens for to the console, connection and all.
    queue.on('error', (error) => this.onError(error));
    this.tasks = {
      'consent-partitions': {
        everyMs: 60 * MINUTE_MS,
        run: async (now) => {
          await consentPartitions.ensure(now);
          await consentPartitions.dropExpired(now);
        },
      },
      'delivery-partitions': {
        everyMs: 60 * MINUTE_MS,
        run: async (now) => {
          await deliveryPartitions.ensure(now);
          await deliveryPartitions.dropExpired(now);
        },
      },
      'consent-rollup': { everyMs: ROLLUP_MS, run: () => rollup.advance() },
      'tier-sweep': { everyMs: MINUTE_MS, run: (now) => tiers.sweep(now) },
      'billing-undelivered': { everyMs: 15 * MINUTE_MS, run: (now) => billing.fetchUndelivered(now) },
      // Hourly, and each subscription once a day: a night is then as good as any other hour.
      'billing-reconcile': { everyMs: 60 * MINUTE_MS, run: (now) => billing.reconcile(now) },
      'billing-prune': { everyMs: 60 * MINUTE_MS, run: (now) => billing.prune(now) },
    };
  }

  override async process(job: Job): Promise<void> {
    const task = this.tasks[job.name];
    if (!task) return;
    try {
      await task.run(new Date());
    } catch (error) {
      // The next turn tries again; that it failed is what an operator has to know.
      this.logger.error({ err: error, task: job.name }, 'an upkeep task failed');
    }
  }

  async onApplicationBootstrap(): Promise<void> {
    await queueReady(this.settings, this.worker, this.queue);
    // Not awaited: a worker starts while the queue is away.
    void this.schedule();
    this.timer = setInterval(() => void this.schedule(), RESCHEDULE_MS);
  }

  onModuleDestroy(): void {
    if (this.timer) clearInterval(this.timer);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.unreachable.about(error);
  }

  private async schedule(): Promise<void> {
    if (this.scheduling) return;
    this.scheduling = true;
    try {
      for (const [name, { everyMs }] of Object.entries(this.tasks)) {
        await this.queue.upsertJobScheduler(
          name,
          { every: everyMs },
          { name, opts: { removeOnComplete: true, removeOnFail: true } },
        );
      }
    } catch (error) {
      this.unreachable.about(error);
    } finally {
      this.scheduling = false;
    }
  }
}
