import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { CONSENT_RECORDED } from '../../consent/domain/consent-recorded.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import type { EndpointStatus, UndeliveredCount } from '../../projects/domain/project-status.js';
import { ProjectHooks } from '../../projects/project.hooks.js';
import { judgeEndpoint } from '../domain/endpoint-status.js';
import { readEndpointFacts, selectFailedRecords } from '../infrastructure/project-status.rows.js';
import { WAITING_SCAN_MAX } from './delivery-log.service.js';
import { undeliveredPeriod } from './undelivered.service.js';

/** Undelivered records are counted up to this for each project of a list. */
export const LISTED_UNDELIVERED_MAX = 100;

/** What forwarding adds to the list of projects: a bounded number of statements for all of them. */
@Injectable()
export class ProjectStatuses implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly outbox: OutboxService,
    private readonly projects: ProjectHooks,
  ) {}

  onModuleInit(): void {
    this.projects.set({
      readEndpoints: (ids) => this.readEndpoints(ids),
      countUndelivered: (ids, now) => this.countUndelivered(ids, now),
    });
  }

  private async readEndpoints(projectIds: readonly string[]): Promise<Map<string, EndpointStatus>> {
    const facts = await readEndpointFacts(this.em.fork(), projectIds);
    return new Map(facts.map(({ projectId, ...each }) => [projectId, judgeEndpoint(each)]));
  }

  /** Counts what `UndeliveredService` counts, up to a lower limit. */
  private async countUndelivered(
    projectIds: readonly string[],
    now: Date,
  ): Promise<Map<string, UndeliveredCount>> {
    const em = this.em.fork();
    const limit = LISTED_UNDELIVERED_MAX + 1;
    const failed = await selectFailedRecords(em, projectIds, { ...undeliveredPeriod(now), limit });
    const byProject = Map.groupBy(failed, ({ projectId }) => projectId);
    if (byProject.size === 0) return new Map();
    const orderingKeys = [...byProject.keys()];
    const queued = new Set(
      await this.outbox.waitingSubjectsOfKeys(
        em,
        { orderingKeys, topic: CONSENT_RECORDED },
        WAITING_SCAN_MAX,
      ),
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
