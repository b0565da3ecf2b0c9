import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import type { DeliveryStateName } from '../../consent/domain/consent-recorded.js';
import { ConsentHooks, type RecordConditions } from '../../consent/consent.hooks.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { deliveryConditions, UNSENT } from '../infrastructure/delivery-conditions.js';
import { recordQueue, WAITING_SCAN_MAX } from './delivery-log.service.js';

/** Filters the list of records by their delivery state, as `DeliveryLogService.readState` reports it. */
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
    if (state === 'unsent') return UNSENT;
    const queue = recordQueue(projectId);
    return deliveryConditions(
      state,
      await this.outbox.waitingSubjects(this.em.fork(), queue, WAITING_SCAN_MAX),
    );
  }
}
