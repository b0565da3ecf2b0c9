import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type ScannedPage, toScannedPage } from '../../../platform/database/bounded-scan.js';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { readCursor } from '../../../platform/export/page.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { nextClaimAt } from '../../../platform/outbox/claim-throttles.js';
import {
  isWaiting,
  waitingAmong,
  type WaitingOf,
  waitingSubjects,
} from '../../../platform/outbox/queued-messages.js';
import { ConsentHooks, type DeliverySubject, type RecordConditions } from '../../consent/consent.hooks.js';
import {
  CONSENT_RECORDED,
  type ConsentRecorded,
  type DeliveryStateName,
} from '../../consent/domain/consent-recorded.js';
import { overviewPeriods } from '../../consent/domain/overview-periods.js';
import type { DeliveryFilter, DeliveryView } from '../domain/delivery-outcome.js';
import { retryKey } from '../domain/retry.js';
import {
  type ActivitySlot,
  activitySlots,
  deliveriesSince,
  type DeliveriesSince,
  type ResponseTime,
  responseTimes,
  SLOT_MS,
  SLOTS,
} from '../infrastructure/delivery-activity.rows.js';
import {
  deliveryConditions,
  deliveryPage,
  latestDelivery,
  latestOutcomes,
  readResponseBody,
  UNSENT,
} from '../infrastructure/delivery.rows.js';
import { readRetry, retryingIds } from '../infrastructure/retry.rows.js';

/** Newest queued messages that a lookup of a record reads; in a longer backlog, older ones are not found. */
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

/** Whether an endpoint has accepted records recently, and how fast. */
interface DeliveryActivity {
  slots: ActivitySlot[];
  today: DeliveriesSince;
  responseTime: ResponseTime;
}

/** Counts a project's attempts of the last 24 hours, with a limit for each part. */
@Injectable()
export class DeliveryActivityService {
  constructor(private readonly reads: ProjectReads) {}

  async read(
    projectId: string,
    { now, timeZone }: { now: Date; timeZone: string },
    gone: AbortSignal,
  ): Promise<DeliveryActivity> {
    const firstMs = (Math.floor(now.getTime() / SLOT_MS) - SLOTS + 1) * SLOT_MS;
    const starts = Array.from({ length: SLOTS }, (_, slot) => new Date(firstMs + slot * SLOT_MS));
    const since = overviewPeriods(now, timeZone).today.now.from;
    const slots = await this.reads.list(projectId, activitySlots(projectId, starts), gone);
    const [today] = await this.reads.list(projectId, deliveriesSince(projectId, since), gone);
    const [responseTime] = await this.reads.list(
      projectId,
      responseTimes(projectId, new Date(firstMs)),
      gone,
    );
    return {
      slots,
      today: today ?? { delivered: 0, failed: 0, more: false },
      responseTime: responseTime ?? { p50Ms: null, p99Ms: null },
    };
  }
}

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
