import { Injectable } from '@nestjs/common';

interface Hooks {
  /** The reason of each project's latest failed delivery, by project id; projects without one are missing. */
  readLastFailureReasons(projectIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

/** What applies without forwarding. */
const DEFAULTS: Hooks = { readLastFailureReasons: () => Promise.resolve(new Map()) };

/** What other modules add to the projects that the API shows. Projects doesn't know these modules. */
@Injectable()
export class ProjectHooks {
  private hooks = DEFAULTS;

  /** Sets hooks; call it while modules start (`onModuleInit`). */
  set(hooks: Partial<Hooks>): void {
    this.hooks = { ...this.hooks, ...hooks };
  }

  get current(): Readonly<Hooks> {
    return this.hooks;
  }
}
