import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import type { DeliveryStateName } from '../../consent/domain/consent-recorded.js';
import { ConsentHooks, type RecordConditions } from '../../consent/consent.hooks.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { recordsOf, WAITING_SCAN_MAX } from './delivery-log.service.js';

/**
 * Records that one page looks at. Each takes a look into the log's index for every day since it was received: of a record
 * of today one or two, of one of last month up to 60 (ADR 42 has the times).
 */
const SCANNED_ROWS_MAX = 1_000;

/** Filters the list of records by their delivery state, as `DeliveryLogService.stateOf` reports it. */
@Injectable()
export class ListByDelivery implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly hooks: ConsentHooks,
    private readonly outbox: OutboxService,
  ) {}

  onModuleInit(): void {
    this.hooks.set({ filterByDelivery: (projectId, state) => this.conditionsFor(projectId, state) });
  }

  private async conditionsFor(projectId: string, state: DeliveryStateName): Promise<RecordConditions> {
    if (state === 'unsent') return { conditions: [sql`c.unannounced is not null`] };
    const waiting = await this.outbox.waitingSubjects(this.em.fork(), recordsOf(projectId), WAITING_SCAN_MAX);
    const announced = sql`c.unannounced is null`;
    if (state === 'pending') return { conditions: [announced, sql`c.id = any(${waiting}::uuid[])`] };
    const conditions = [announced, sql`c.id <> all(${waiting}::uuid[])`, sql`${LATEST_OUTCOME} = ${state}`];
    // Few records ever fail, and failures have separate partitions, so check them first.
    if (state === 'failed') conditions.push(EVER_FAILED);
    return { conditions, scannedMax: SCANNED_ROWS_MAX };
  }
}

/** An attempt comes after the record: days before it are not looked at. An hour is for clocks that differ. */
const ATTEMPT_OF_RECORD = sql`
  d.project_id = c.project_id and d.consent_id = c.id
    and d.id >= partition_bound((c.received_at - interval '1 hour') at time zone 'UTC')
`;

const LATEST_OUTCOME = sql`(
  select d.outcome from delivery d where ${ATTEMPT_OF_RECORD} and not d.superseded order by d.id desc limit 1
)`;

/** No "exists": the planner would make a join of it, which reads the whole log. */
const EVER_FAILED = sql`
  (select true from delivery d where ${ATTEMPT_OF_RECORD} and d.outcome = 'failed' limit 1)
`;
