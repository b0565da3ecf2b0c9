import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { CONSENT_RECORDED, type ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { ConsentHooks } from '../../consent/consent.hooks.js';
import { type ScannedPage, boundedScan, pageOfScan } from '../../database/bounded-scan.js';
import { ProjectReads } from '../../database/project-reads.js';
import { OutboxService, type WaitingOf } from '../../outbox/outbox.service.js';
import { isUuid, uuidLowerBound } from '../../shared/ids.js';
import { readCursor } from '../../shared/page.js';
import type { DeliveryOutcome, DeliveryOutcomeKind, FailureCategory } from '../domain/outcome.js';

/** Newest waiting messages that are looked through for a record; a longer backlog hides the older ones. */
export const WAITING_SCAN_MAX = 50_000;

/** A finished attempt as the API shows it. */
export interface DeliveryView extends DeliveryOutcome {
  consentId: string;
}

/** What became of one record. */
export type DeliveryState =
  DeliveryView | { outcome: 'pending' } | { outcome: 'unsent'; reason: string } | null;

export interface DeliveryFilter {
  status?: DeliveryOutcomeKind | undefined;
  category?: FailureCategory | undefined;
  consentId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  limit: number;
  cursor?: string | undefined;
}

const DELIVERY_COLUMNS = sql`
  id, consent_id as "consentId", outcome, category, http_status as "httpStatus", reason,
  duration_ms as "durationMs", attempted_at as "attemptedAt", host
`;

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
    this.hooks.addDetail({ member: 'delivery', read: (record) => this.stateOf(record) });
  }

  /** A page of attempts, newest first; `from` is inclusive, `to` is not, both by the beginning of the attempt. */
  async list(
    projectId: string,
    filter: DeliveryFilter,
    gone: AbortSignal,
  ): Promise<ScannedPage<DeliveryView>> {
    const { status, category, consentId, from, to, limit } = filter;
    const before = readCursor(filter.cursor, isUuid);
    const range: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
    if (consentId) range.push(sql`c.consent_id = ${consentId}::uuid`);
    if (from) range.push(sql`c.id >= ${uuidLowerBound(from)}::uuid`);
    if (to) range.push(sql`c.id < ${uuidLowerBound(to)}::uuid`);
    if (before) range.push(sql`c.id < ${before}::uuid`);
    const query = boundedScan<DeliveryView>({
      table: 'delivery',
      columns: DELIVERY_COLUMNS,
      range,
      filters: [
        ...(status ? [sql`c.outcome = ${status}`] : []),
        ...(category ? [sql`c.category = ${category}`] : []),
      ],
      limit,
    });
    return pageOfScan(await this.reads.list(projectId, query, gone), limit, (row) => row);
  }

  /**
   * The record's last attempt, without a failed repeat of one that was delivered; `{ outcome: 'pending' }` while one is to come; `{ outcome: 'unsent', reason }`
   * where it was never announced, `off` or `tier`; null where the log no longer holds its attempt.
   */
  async stateOf({ projectId, id, skippedReason }: ConsentRecorded): Promise<DeliveryState> {
    if (skippedReason !== null) return { outcome: 'unsent', reason: skippedReason };
    const consentId = id;
    const em = this.em.fork();
    const waiting = { ...recordsOf(projectId), subjectId: consentId };
    if (await this.outbox.isWaiting(waiting, WAITING_SCAN_MAX)) return { outcome: 'pending' };
    const { rows } = await sql<DeliveryView>`
      select ${DELIVERY_COLUMNS} from delivery
      where project_id = ${projectId} and consent_id = ${consentId} and not superseded
      order by id desc
      limit 1
    `.execute(em.getKysely());
    return rows[0] ?? null;
  }
}

/** Where the messages about a project's records wait. */
export function recordsOf(projectId: string): WaitingOf {
  return { orderingKey: projectId, topic: CONSENT_RECORDED };
}
