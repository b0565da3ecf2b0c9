import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { CONSENT_RECORDED, type ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import { toScannedPage, type ScannedPage } from '../../../platform/database/bounded-scan.js';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import { nextClaimAt } from '../../../platform/outbox/claim-throttles.js';
import { isWaiting, type WaitingOf } from '../../../platform/outbox/queued-messages.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { readCursor } from '../../../platform/export/page.js';
import { retryKey } from '../domain/retry.js';
import { readRetry } from '../infrastructure/retry-views.rows.js';
import type { DeliveryFilter, DeliveryView } from '../domain/delivery.js';
import { deliveryPage, latestDelivery, readResponseBody } from '../infrastructure/delivery.rows.js';

/**
 * Newest queued messages that a lookup of a record reads; in a longer backlog, older ones are not
 * found.
 */
export const WAITING_SCAN_MAX = 50_000;

/** The delivery state of a record. */
export type DeliveryState =
  | DeliveryView
  /** With a retry: its number, and its earliest time. */
  | { outcome: 'pending'; attempt?: number; nextAttemptAt?: Date }
  | { outcome: 'unsent'; reason: string }
  | null;

/** A page of the log. */
export interface DeliveryPageFilter extends DeliveryFilter {
  limit: number;
  cursor?: string | undefined;
}

@Injectable()
export class DeliveryLogService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly reads: ProjectReads,
    private readonly hooks: ConsentHooks,
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
    const page = toScannedPage(await this.reads.list(projectId, query, gone), limit, (row) => row);
    if (page.items.every(({ nextAttemptAt }) => nextAttemptAt === null)) return page;
    const heldUntil = await nextClaimAt(this.em.fork(), recordQueue(projectId));
    const items = page.items.map((item) => ({
      ...item,
      nextAttemptAt: item.nextAttemptAt && laterOf(item.nextAttemptAt, heldUntil),
    }));
    return { ...page, items };
  }

  /**
   * The stored response body of an attempt; null: none was stored.
   * @throws DomainError `delivery_not_found` (404).
   */
  async readResponseBody(projectId: string, deliveryId: string): Promise<string | null> {
    const body = isUuid(deliveryId)
      ? await readResponseBody(this.em.fork(), projectId, deliveryId)
      : undefined;
    if (body === undefined) throw new DomainError('delivery_not_found', 'There is no such delivery.');
    return body;
  }

  /**
   * The record's latest attempt, without failed repeats of a delivered one; `{ outcome: 'pending' }` while it is queued or
   * retried;
   * `{ outcome: 'unsent', reason }` if it was never queued (`off` or `tier`); null if the log no longer holds its attempt.
   */
  async readState({ projectId, id, skippedReason }: ConsentRecorded): Promise<DeliveryState> {
    if (skippedReason !== null) return { outcome: 'unsent', reason: skippedReason };
    const retry = await readRetry(this.em.fork(), { projectId, consentId: id });
    if (retry) {
      const heldUntil = await nextClaimAt(this.em.fork(), recordQueue(projectId));
      return {
        outcome: 'pending',
        attempt: retry.attempt,
        nextAttemptAt: laterOf(retry.dueAt, heldUntil),
      };
    }
    const message = { ...recordQueue(projectId), subjectId: id };
    if (await isWaiting(this.em.fork(), message, WAITING_SCAN_MAX)) return { outcome: 'pending' };
    return latestDelivery(this.em.fork(), projectId, id);
  }
}

/** The earliest time of an attempt that also waits for the next probe of a held project. */
function laterOf(dueAt: Date, heldUntil: Date | null): Date {
  return heldUntil !== null && heldUntil > dueAt ? heldUntil : dueAt;
}

/** The waiting messages of a project's retries. */
export function retryQueue(projectId: string): WaitingOf {
  return { orderingKey: retryKey(projectId), topic: CONSENT_RECORDED };
}

/** The waiting messages of a project's records. */
export function recordQueue(projectId: string): WaitingOf {
  return { orderingKey: projectId, topic: CONSENT_RECORDED };
}
