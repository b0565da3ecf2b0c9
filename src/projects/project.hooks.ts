import { Injectable } from '@nestjs/common';
import type { EndpointStatus, RecordsToday, UndeliveredCount } from './domain/project-status.js';

interface Hooks {
  /** The reason of each project's latest failed delivery, by project id; projects without one are missing. */
  readLastFailureReasons(projectIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Records since midnight of a time zone; projects without any are missing here and below. */
  countRecordsToday(
    projectIds: readonly string[],
    day: { now: Date; timeZone: string },
  ): Promise<ReadonlyMap<string, RecordsToday>>;
  readEndpoints(projectIds: readonly string[]): Promise<ReadonlyMap<string, EndpointStatus>>;
  countUndelivered(projectIds: readonly string[], now: Date): Promise<ReadonlyMap<string, UndeliveredCount>>;
  /** When a banner that a person has saved was last published. */
  readLastPublished(projectIds: readonly string[]): Promise<ReadonlyMap<string, Date>>;
  /** When the loader was last seen. */
  readLastSeen(projectIds: readonly string[], now: Date): Promise<ReadonlyMap<string, Date>>;
}

const nothing = () => Promise.resolve(new Map());

/** What applies without the other modules. */
const DEFAULTS: Hooks = {
  readLastFailureReasons: nothing,
  countRecordsToday: nothing,
  readEndpoints: nothing,
  countUndelivered: nothing,
  readLastPublished: nothing,
  readLastSeen: nothing,
};

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
