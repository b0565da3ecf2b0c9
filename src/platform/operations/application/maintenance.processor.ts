import { InjectQueue, OnWorkerEvent, Processor, WorkerHost } from '@nestjs/bullmq';
import { Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Job, Queue } from 'bullmq';
import { Counter } from 'prom-client';
import { ThrottledLog } from '../throttled-log.js';
import { queueReady, QUEUES, WORKER_OPTIONS } from '../../database/queue.js';
import { InjectSettings } from '../../settings/inject-settings.js';
import { type QueueSettings, queueSettings } from '../../database/database.settings.js';
import { DEADLINE_MS, Maintenance } from '../maintenance.js';
import { Metrics } from '../metrics.js';

export const MAINTENANCE_QUEUE = QUEUES.maintenance;

/**
 * Interval at which a worker checks the schedules, which are missing after the queue was emptied.
 */
const CHECK_MS = 10_000;
/**
 * A run may be overdue, or later than its interval, by this much. Otherwise its schedule is created again: a process with
 * a wrong clock would postpone a task by its error.
 */
const OVERDUE_MS = 60_000;
const LATE_MS = 5_000;

/**
 * Runs the registered maintenance tasks, each on one worker at a time and all of them
 * independently: one that waits, e.g. for slow name servers, must not delay sequencing.
 */
@Processor(MAINTENANCE_QUEUE, WORKER_OPTIONS)
export class MaintenanceProcessor extends WorkerHost implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(MaintenanceProcessor.name);
  private readonly unreachable = new ThrottledLog(this.logger, 'cannot connect to the maintenance queue');
  private timer: NodeJS.Timeout | null = null;
  private scheduling = false;
  private readonly running = new Set<string>();
  private readonly late: Counter;

  constructor(
    private readonly maintenance: Maintenance,
    metrics: Metrics,
    @InjectQueue(MAINTENANCE_QUEUE) private readonly queue: Queue,
    @InjectSettings(queueSettings) private readonly queueSettings: QueueSettings,
  ) {
    super();
    // BullMQ prints an error without a listener to the console, including the connection.
    queue.on('error', (error) => this.onError(error));
    this.late = new Counter({
      name: 'maintenance_late_total',
      help: 'Deadlines that runs of a maintenance task exceeded; a run that goes on exceeds another one each time.',
      labelNames: ['task'],
      registers: [metrics.registry],
    });
  }

  override async process(job: Job): Promise<void> {
    const task = this.maintenance.find(job.name);
    // If a run takes longer than its interval, no second one starts beside it.
    if (!task || this.running.has(task.name)) return;
    this.running.add(task.name);
    const { deadlineMs = DEADLINE_MS } = task;
    const deadline = setInterval(() => {
      this.late.inc({ task: task.name });
      this.logger.error({ task: task.name, deadlineMs }, 'a maintenance task exceeded its deadline');
    }, deadlineMs);
    try {
      await task.run(new Date());
    } catch (error) {
      // The next run tries again.
      this.logger.error({ err: error, task: job.name }, 'a maintenance task failed');
    } finally {
      clearInterval(deadline);
      this.running.delete(task.name);
    }
  }

  async onApplicationBootstrap(): Promise<void> {
    const { tasks } = this.maintenance;
    for (const { name } of tasks) this.late.inc({ task: name }, 0);
    // No task waits for another one.
    this.worker.concurrency = Math.max(1, tasks.length);
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
