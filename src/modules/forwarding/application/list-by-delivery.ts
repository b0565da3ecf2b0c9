import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { DeliveryStateName } from '../../consent/domain/consent-recorded.js';
import { ConsentHooks, type DeliverySubject, type RecordConditions } from '../../consent/consent.hooks.js';
import { waitingAmong, waitingSubjects } from '../../../platform/outbox/queued-messages.js';
import { retryingIds } from '../infrastructure/retry-views.rows.js';
import { deliveryConditions, latestOutcomes, UNSENT } from '../infrastructure/delivery-conditions.js';
import { recordQueue, WAITING_SCAN_MAX } from './delivery-log.service.js';

/**
 * Filters the list of records by delivery state, and reads the states of a page, as
 * `DeliveryLogService.readState` does.
 */
@Injectable()
export class ListByDelivery implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly hooks: ConsentHooks,
  ) {}

  onModuleInit(): void {
    this.hooks.set({
      filterByDelivery: (projectId, state) => this.conditionsFor(projectId, state),
      readDeliveryStates: (projectId, records) => this.readStates(projectId, records),
    });
  }

  private async conditionsFor(projectId: string, state: DeliveryStateName): Promise<RecordConditions> {
    if (state === 'unsent') return UNSENT;
    const em = this.em.fork();
    const queued = await waitingSubjects(em, recordQueue(projectId), WAITING_SCAN_MAX);
    const retried = await retryingIds(em, projectId, { limit: WAITING_SCAN_MAX });
    return deliveryConditions(state, [...queued, ...retried]);
  }

  /** The states of the records of a page, in three statements. */
  private async readStates(
    projectId: string,
    records: readonly DeliverySubject[],
  ): Promise<Map<string, DeliveryStateName>> {
    const em = this.em.fork();
    const forwarded = records.filter(({ skippedReason }) => skippedReason === null);
    const among = forwarded.map(({ id }) => id);
    const states = new Map<string, DeliveryStateName>(records.map(({ id }) => [id, 'unsent']));
    for (const id of among) states.delete(id);
    if (among.length === 0) return states;
    for (const [id, outcome] of await latestOutcomes(em, projectId, forwarded)) states.set(id, outcome);
    const queued = await waitingAmong(em, recordQueue(projectId), among, WAITING_SCAN_MAX);
    const retried = await retryingIds(em, projectId, { among, limit: among.length });
    for (const id of [...queued, ...retried]) states.set(id, 'pending');
    return states;
  }
}
