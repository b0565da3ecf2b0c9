import { Injectable } from '@nestjs/common';
import type { EndpointStatus, UndeliveredCount } from './domain/project-status.js';
import { ProjectHooks } from './project.hooks.js';

/** Whether a project works, as far as other modules know. */
export interface ProjectStatus {
  recordsToday: number;
  /** Of today's visitors who were asked, the share that opted in; null if no visitor was asked. */
  optInRateToday: number | null;
  undelivered: UndeliveredCount;
  endpoint: EndpointStatus;
  /** Latest publication of the banner; null: never. */
  publishedAt: Date | null;
  /** When the loader was last seen; null: not lately. */
  lastSeenAt: Date | null;
}

/** Reads the status of many projects: a statement or two of each module for all of them, never one per project. */
@Injectable()
export class ProjectStatusReader {
  constructor(private readonly hooks: ProjectHooks) {}

  async read(
    projectIds: readonly string[],
    day: { now: Date; timeZone: string },
  ): Promise<(projectId: string) => ProjectStatus> {
    const { current } = this.hooks;
    const [records, endpoints, undelivered, published, seen] = await Promise.all([
      current.countRecordsToday(projectIds, day),
      current.readEndpoints(projectIds),
      current.countUndelivered(projectIds, day.now),
      current.readLastPublished(projectIds),
      current.readLastSeen(projectIds, day.now),
    ]);
    return (projectId) => ({
      recordsToday: records.get(projectId)?.records ?? 0,
      optInRateToday: records.get(projectId)?.optInRate ?? null,
      undelivered: undelivered.get(projectId) ?? { records: 0, more: false },
      endpoint: endpoints.get(projectId) ?? { state: 'off', since: null },
      publishedAt: published.get(projectId) ?? null,
      lastSeenAt: seen.get(projectId) ?? null,
    });
  }
}
