import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { queueReady, QUEUES, WORKER_OPTIONS } from '../../shared/queue.js';
import { SettingsFrom } from '../../shared/inject-settings.js';
import { type QueueSettings, queueSettings } from '../../shared/queue.settings.js';
import { Upkeep } from '../../shared/upkeep.js';

export const UPKEEP_QUEUE = QUEUES.upkeep;

/** How often a worker makes sure that the schedules exist: a queue that was emptied gets them back. */
const RESCHEDULE_MS = 60_000;

/** Runs what the modules have signed up with the upkeep, on one worker of however many. */
@Processor(UPKEEP_QUEUE, WORKER_OPTIONS)
export class UpkeepProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(UpkeepProcessor.name);
  private readonly unreachable = new ThrottledLog(this.logger, 'the upkeep queue cannot be reached');
  private timer: NodeJS.Timeout | null = null;
  private scheduling = false;

  constructor(
    private readonly upkeep: Upkeep,
    @InjectQueue(UPKEEP_QUEUE) private readonly queue: Queue,
    @SettingsFrom(queueSettings) private readonly queueSettings: QueueSettings,
  ) {
    super();
    // BullMQ prints an error without a listener to the console, including the connection.
    queue.on('error', (error) => this.onError(error));
  }

  override async process(job: Job): Promise<void> {
    const task = this.upkeep.find(job.name);
    if (!task) return;
    try {
      await task.run(new Date());
    } catch (error) {
      // The next turn tries again; that it failed is what an operator has to know.
      this.logger.error({ err: error, task: job.name }, 'an upkeep task failed');
    }
  }

  async onApplicationBootstrap(): Promise<void> {
    await queueReady(this.queueSettings, this.worker, this.queue);
    // Not awaited: a worker starts while the queue is away.
    void this.schedule();
    this.timer = setInterval(() => void this.schedule(), RESCHEDULE_MS);
  }

  onModuleDestroy(): void {
    // The embedded server may go before the last connection does.
    this.unreachable.silence();
    if (this.timer) clearInterval(this.timer);
  }

  @OnWorkerEvent('error')
  onError(error: Error): void {
    this.unreachable.warn(error);
  }

  private async schedule(): Promise<void> {
    if (this.scheduling) return;
    this.scheduling = true;
    try {
      for (const { name, everyMs } of this.upkeep.tasks) {
        await this.queue.upsertJobScheduler(
          name,
          { every: everyMs },
          { name, opts: { removeOnComplete: true, removeOnFail: true } },
        );
      }
    } catch (error) {
      this.unreachable.warn(error);
    } finally {
      this.scheduling = false;
    }
  }
}
