import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { CONSENT_RECORDED } from '../consent/domain/consent-recorded.js';
import { waitingSubjectsOfKeys } from '../../platform/outbox/queued-messages.js';
import { type EndpointStatus, judgeEndpoint } from './domain/endpoint-status.js';
import { readLastFailureReasons } from './infrastructure/last-outcomes.rows.js';
import { readEndpointFacts, selectFailedRecords } from './infrastructure/delivery.rows.js';
import { WAITING_SCAN_MAX } from './application/delivery-log.service.js';
import { undeliveredPeriod } from './application/undelivered.service.js';

/** Limit of the count of undelivered records per listed project. */
export const LISTED_UNDELIVERED_MAX = 100;

/** Records that were not delivered. */
export interface UndeliveredCount {
  records: number;
  /** Whether there are more than were counted. */
  more: boolean;
}

/** The forwarding state of many projects, in a constant number of statements. Projects without data are missing. */
@Injectable()
export class ForwardingStatus {
  constructor(private readonly em: EntityManager) {}

  /** The reason of each project's latest failed delivery. */
  readLastFailureReasons(projectIds: readonly string[]): Promise<Map<string, string>> {
    return readLastFailureReasons(this.em.fork(), projectIds);
  }

  async readEndpoints(projectIds: readonly string[]): Promise<Map<string, EndpointStatus>> {
    const facts = await readEndpointFacts(this.em.fork(), projectIds);
    return new Map(facts.map(({ projectId, ...each }) => [projectId, judgeEndpoint(each)]));
  }

  /** Counts the records of `UndeliveredService`, up to a lower limit. */
  async countUndelivered(projectIds: readonly string[], now: Date): Promise<Map<string, UndeliveredCount>> {
    const em = this.em.fork();
    const limit = LISTED_UNDELIVERED_MAX + 1;
    const failed = await selectFailedRecords(em, projectIds, { ...undeliveredPeriod(now), limit });
    const byProject = Map.groupBy(failed, ({ projectId }) => projectId);
    if (byProject.size === 0) return new Map();
    const orderingKeys = [...byProject.keys()];
    const queued = new Set(
      await waitingSubjectsOfKeys(em, { orderingKeys, topic: CONSENT_RECORDED }, WAITING_SCAN_MAX),
    );
    return new Map(
      [...byProject].map(([projectId, records]) => {
        const count = records.filter(({ consentId }) => !queued.has(consentId)).length;
        return [
          projectId,
          { records: Math.min(count, LISTED_UNDELIVERED_MAX), more: count > LISTED_UNDELIVERED_MAX },
        ];
      }),
    );
  }
}
