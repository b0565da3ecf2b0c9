import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { countRecordsToday } from '../../consent/consent.records.js';
import type { EndpointStatus } from '../../forwarding/domain/endpoint-status.js';
import { ForwardingStatus, type UndeliveredCount } from '../../forwarding/forwarding-status.js';
import { readDraftTimes, readPublicationTimes } from '../../publishing/site-configurations.js';
import { readLoaderSightings } from '../../visits/loader-sightings.js';

/** Whether a project works. */
export interface ProjectStatus {
  recordsToday: number;
  /** Of today's choices, the share that opted in; null without any. */
  optInRateToday: number | null;
  undelivered: UndeliveredCount;
  endpoint: EndpointStatus;
  /** Latest publication of the banner; null: never. */
  publishedAt: Date | null;
  /** When the draft that waits to be published was saved; null: there is none. */
  draftSavedAt: Date | null;
  /** When the loader was last seen; null: not recently. */
  lastSeenAt: Date | null;
}

/** The state of many projects: a statement or two of each module for all of them, never one per project. */
@Injectable()
export class ProjectOverview {
  constructor(
    private readonly em: EntityManager,
    private readonly forwarding: ForwardingStatus,
  ) {}

  async readStatuses(
    projectIds: readonly string[],
    day: { now: Date; timeZone: string },
  ): Promise<(projectId: string) => ProjectStatus> {
    const [records, endpoints, undelivered, published, drafts, seen] = await Promise.all([
      countRecordsToday(this.em.fork(), projectIds, day),
      this.forwarding.readEndpoints(projectIds),
      this.forwarding.countUndelivered(projectIds, day.now),
      readPublicationTimes(this.em.fork(), projectIds),
      readDraftTimes(this.em.fork(), projectIds),
      readLoaderSightings(this.em.fork(), projectIds, day.now),
    ]);
    return (projectId) => ({
      recordsToday: records.get(projectId)?.records ?? 0,
      optInRateToday: records.get(projectId)?.optInRate ?? null,
      undelivered: undelivered.get(projectId) ?? { records: 0, more: false },
      endpoint: endpoints.get(projectId) ?? { state: 'off', since: null },
      publishedAt: published.get(projectId) ?? null,
      draftSavedAt: drafts.get(projectId) ?? null,
      lastSeenAt: seen.get(projectId) ?? null,
    });
  }

  /** The reason of each project's latest failed delivery; projects without one are missing. */
  readLastFailureReasons(projectIds: readonly string[]): Promise<Map<string, string>> {
    return this.forwarding.readLastFailureReasons(projectIds);
  }
}
