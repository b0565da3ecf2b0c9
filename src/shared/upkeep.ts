import { Global, Injectable, Module } from '@nestjs/common';

/** What has to be done from time to time, by one worker of however many. It may run twice, and at the same time. */
export interface UpkeepTask {
  /** Stable once released: the schedule in the queue bears it. */
  name: string;
  everyMs: number;
  run(now: Date): Promise<unknown>;
}

/** The door of the upkeep: modules sign their tasks up, the processor in operations runs them. */
@Injectable()
export class Upkeep {
  private readonly byName = new Map<string, UpkeepTask>();

  /** Signs a task up; call it while modules start (`onModuleInit`). */
  register(task: UpkeepTask): void {
    if (this.byName.has(task.name)) throw new Error(`Two upkeep tasks are called ${task.name}.`);
    this.byName.set(task.name, task);
  }

  get tasks(): UpkeepTask[] {
    return [...this.byName.values()];
  }

  /** The task of that name; undefined where no module of this version has one. */
  find(name: string): UpkeepTask | undefined {
    return this.byName.get(name);
  }
}

@Global()
@Module({ providers: [Upkeep], exports: [Upkeep] })
export class UpkeepModule {}
