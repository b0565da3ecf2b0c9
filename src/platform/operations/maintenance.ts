import { Injectable } from '@nestjs/common';

/** Deadline of a run unless the task has its own. */
export const DEADLINE_MS = 5 * 60_000;

/** A periodic task that one worker runs. It may run twice, also concurrently on two workers. */
export interface MaintenanceTask {
  /** Stable once released: it names the schedule in the queue. */
  name: string;
  everyMs: number;
  /** A run that takes longer is an alert (`ConsentMaintenanceLate`); by default `DEADLINE_MS`. */
  deadlineMs?: number;
  run(now: Date): Promise<unknown>;
}

/** Registry of maintenance tasks: modules register them, `MaintenanceProcessor` runs them. */
@Injectable()
export class Maintenance {
  private readonly byName = new Map<string, MaintenanceTask>();

  /** Call this while modules start (`onModuleInit`). */
  register(task: MaintenanceTask): void {
    if (this.byName.has(task.name)) throw new Error(`Duplicate maintenance task: ${task.name}`);
    this.byName.set(task.name, task);
  }

  get tasks(): MaintenanceTask[] {
    return [...this.byName.values()];
  }

  /** Undefined if no module of this version has a task of that name. */
  find(name: string): MaintenanceTask | undefined {
    return this.byName.get(name);
  }
}
