import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { ThrottledLog } from '../../shared/throttled-log.js';
import { queueReady, QUEUES, WORKER_OPTIONS } from '../../database/queue.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type QueueSettings, queueSettings } from '../../database/queue.settings.js';
import { Maintenance } from '../../shared/maintenance.js';

export const MAINTENANCE_QUEUE = QUEUES.maintenance;

/** How often a worker checks the schedules: they are missing after the queue was emptied. */
const CHECK_MS = 10_000;
/**
 * A run may be overdue, or later than its interval, by this much. Otherwise its schedule is created again: a process with
 * a wrong clock would postpone a task by its error.
 */
const OVERDUE_MS = 60_000;
const LATE_MS = 5_000;

/** Runs the registered maintenance tasks, each on one worker at a time. */
@Processor(MAINTENANCE_QUEUE, WORKER_OPTIONS)
export class MaintenanceProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(MaintenanceProcessor.name);
  private readonly unreachable = new ThrottledLog(this.logger, 'cannot connect to the maintenance queue');
  private timer: NodeJS.Timeout | null = null;
  private scheduling = false;

  constructor(
    private readonly maintenance: Maintenance,
    @InjectQueue(MAINTENANCE_QUEUE) private readonly queue: Queue,
    @InjectSettings(queueSettings) private readonly queueSettings: QueueSettings,
  ) {
    super();
    // BullMQ prints an error without a listener to the console, including the connection.
    queue.on('error', (error) => this.onError(error));
  }

  override async process(job: Job): Promise<void> {
    const task = this.maintenance.find(job.name);
    if (!task) return;
    try {
      await task.run(new Date());
    } catch (error) {
      // The next run tries again.
      this.logger.error({ err: error, task: job.name }, 'a maintenance task failed');
    }
  }

  async onApplicationBootstrap(): Promise<void> {
    await queueReady(this.queueSettings, this.worker, this.queue);
    // Not awaited: a worker also starts while the queue is unavailable.
    void this.schedule();
    this.timer = setInterval(() => void this.schedule(), CHECK_MS);
  }

  onModuleDestroy(): void {
    // The embedded database may stop before the last connection closes.
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
      const schedulers = await this.queue.getJobSchedulers();
      const known = new Map(schedulers.map((scheduler) => [scheduler.key, scheduler]));
      for (const { name, everyMs } of this.maintenance.tasks) {
        const { every, next = 0 } = known.get(name) ?? {};
        const inMs = next - Date.now();
        const isLate = inMs > everyMs + LATE_MS;
        if (every === everyMs && inMs > -OVERDUE_MS && !isLate) continue;
        // Creating it again would keep the time of the next run.
        if (isLate) await this.queue.removeJobScheduler(name);
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
