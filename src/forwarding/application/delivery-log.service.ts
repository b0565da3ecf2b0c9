import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { CONSENT_RECORDED, type ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import { toScannedPage, type ScannedPage } from '../../database/bounded-scan.js';
import { ProjectReads } from '../../database/project-reads.js';
import { OutboxService, type WaitingOf } from '../../outbox/outbox.service.js';
import { isUuid } from '../../shared/ids.js';
import { readCursor } from '../../shared/page.js';
import type { DeliveryFilter, DeliveryView } from '../domain/delivery.js';
import { deliveryPage, latestDelivery } from '../infrastructure/delivery.rows.js';

/** Newest queued messages that are searched for a record; in a longer backlog, older ones are not found. */
export const WAITING_SCAN_MAX = 50_000;

/** The delivery state of a record. */
export type DeliveryState =
  DeliveryView | { outcome: 'pending' } | { outcome: 'unsent'; reason: string } | null;

/** A page of the log. */
export interface DeliveryPageFilter extends DeliveryFilter {
  limit: number;
  cursor?: string | undefined;
}

/** The log of finished attempts. */
@Injectable()
export class DeliveryLogService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly reads: ProjectReads,
    private readonly hooks: ConsentHooks,
    private readonly outbox: OutboxService,
  ) {}

  onModuleInit(): void {
    this.hooks.addDetail({ member: 'delivery', read: (record) => this.readState(record) });
  }

  /** A page of attempts, newest first. */
  async list(
    projectId: string,
    filter: DeliveryPageFilter,
    gone: AbortSignal,
  ): Promise<ScannedPage<DeliveryView>> {
    const { limit } = filter;
    const before = readCursor(filter.cursor, isUuid);
    const query = deliveryPage(projectId, filter, { before, limit });
    return toScannedPage(await this.reads.list(projectId, query, gone), limit, (row) => row);
  }

  /**
   * The record's latest attempt, without failed repeats of a delivered one; `{ outcome: 'pending' }` while it is queued;
   * `{ outcome: 'unsent', reason }` if it was never queued (`off` or `tier`); null if the log no longer holds its attempt.
   */
  async readState({ projectId, id, skippedReason }: ConsentRecorded): Promise<DeliveryState> {
    if (skippedReason !== null) return { outcome: 'unsent', reason: skippedReason };
    const message = { ...recordQueue(projectId), subjectId: id };
    if (await this.outbox.isWaiting(message, WAITING_SCAN_MAX)) return { outcome: 'pending' };
    return latestDelivery(this.em.fork(), projectId, id);
  }
}

/** The queue of a project's records. */
export function recordQueue(projectId: string): WaitingOf {
  return { orderingKey: projectId, topic: CONSENT_RECORDED };
}
