import { Injectable, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { CONSENT_RECORDED, consentKey, type ConsentRecorded } from '../../consent/domain/consent-recorded.js';
import { ConsentEvents, joinRecord } from '../../consent/consent.events.js';
import { type LookedPage, lookBack, pageOfLook } from '../../database/look-back.js';
import { ProjectReads } from '../../database/project-reads.js';
import { OutboxService, type WaitingOf } from '../../outbox/outbox.service.js';
import { DomainError, fieldErrors } from '../../shared/domain-error.js';
import { isUuid, uuidLowerBound } from '../../shared/ids.js';
import { readCursor } from '../../shared/page.js';
import type { DeliveryOutcome, DeliveryOutcomeKind } from '../domain/outcome.js';
import { useOfDay } from './daily-usage.js';

/** Longest range that one resend may take (design §5). */
export const RESEND_DAYS_MAX = 14;
/** Most records that one resend queues, oldest first; what is left over is told as `more`. */
export const RESEND_RECORDS_MAX = 10_000;
/** Records of one project that may be sent again on one day (UTC). */
export const RESENT_RECORDS_PER_DAY = 100_000;
/** Newest waiting messages that are looked through for a record; a longer backlog hides the older ones. */
const WAITING_SCAN_MAX = 50_000;
const DAY_MS = 24 * 60 * 60 * 1000;

/** A finished attempt as the API shows it. */
export interface DeliveryView extends DeliveryOutcome {
  id: string;
  consentId: string;
}

/** What became of one record. */
export type DeliveryState =
  DeliveryView | { outcome: 'pending' } | { outcome: 'unsent'; reason: string } | null;

export interface DeliveryFilter {
  status?: DeliveryOutcomeKind | undefined;
  consentId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  limit: number;
  cursor?: string | undefined;
}

/** What a resend of a range looks for: records whose latest attempt ended so, or that nobody was told of. */
export const RESENDABLE = ['failed', 'skipped', 'unsent'] as const;

export interface ResendSelection {
  status: (typeof RESENDABLE)[number];
  from: Date;
  to: Date;
}

const DELIVERY_COLUMNS = sql`
  id, consent_id as "consentId", outcome, category, http_status as "httpStatus", reason,
  duration_ms as "durationMs", attempted_at as "attemptedAt", host
`;

/** The log of finished attempts, and sending again by hand (spec §3.3: never by itself). */
@Injectable()
export class DeliveryLogService implements OnModuleInit {
  constructor(
    private readonly em: EntityManager,
    private readonly reads: ProjectReads,
    private readonly events: ConsentEvents,
    private readonly outbox: OutboxService,
  ) {}

  onModuleInit(): void {
    this.events.addDetail({ member: 'delivery', read: (record) => this.stateOf(record) });
  }

  /** A page of attempts, newest first; `from` is inclusive, `to` is not, both by the beginning of the attempt. */
  async list(
    projectId: string,
    filter: DeliveryFilter,
    gone: AbortSignal,
  ): Promise<LookedPage<DeliveryView>> {
    const { status, consentId, from, to, limit } = filter;
    const before = readCursor(filter.cursor, isUuid);
    const range: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
    if (consentId) range.push(sql`c.consent_id = ${consentId}::uuid`);
    if (from) range.push(sql`c.id >= ${uuidLowerBound(from)}::uuid`);
    if (to) range.push(sql`c.id < ${uuidLowerBound(to)}::uuid`);
    if (before) range.push(sql`c.id < ${before}::uuid`);
    const query = lookBack<DeliveryView>({
      table: 'delivery',
      columns: DELIVERY_COLUMNS,
      range,
      filters: status ? [sql`c.outcome = ${status}`] : [],
      limit,
    });
    return pageOfLook(await this.reads.list(projectId, query, gone), limit, (row) => row);
  }

  /**
   * The record's last attempt; `{ outcome: 'pending' }` while one is to come; `{ outcome: 'unsent', reason }`
   * where it was never announced, `off` or `tier`; null where the log no longer holds its attempt.
   */
  async stateOf({ projectId, id, unannounced }: ConsentRecorded): Promise<DeliveryState> {
    if (unannounced !== null) return { outcome: 'unsent', reason: unannounced };
    const consentId = id;
    const em = this.em.fork();
    const waiting = { ...recordsOf(projectId), subjectId: consentId };
    if (await this.outbox.isWaiting(waiting, WAITING_SCAN_MAX)) return { outcome: 'pending' };
    const { rows } = await sql<DeliveryView>`
      select ${DELIVERY_COLUMNS} from delivery
      where project_id = ${projectId} and consent_id = ${consentId}
      order by id desc
      limit 1
    `.execute(em.getKysely());
    return rows[0] ?? null;
  }

  /**
   * Queues one stored record again, whatever became of it before. One that is waiting already is not queued
   * twice: 0 then, else 1.
   * @throws DomainError `consent_not_found` (404), `too_many_requests` (429) where the day's share is used up.
   */
  async resendOne(projectId: string, consentId: string, author: Author): Promise<number> {
    const ref = { projectId, consentId: consentId.toLowerCase() };
    const found = isUuid(consentId) ? await this.events.load([ref]) : new Map();
    if (!found.has(consentKey(ref))) {
      throw new DomainError('consent_not_found', 'There is no such consent record in this project.');
    }
    return this.em.fork().transactional(async (tx) => {
      await useOfDay(tx, projectId, 'resent', RESENT_RECORDS_PER_DAY, 1);
      const waiting = { ...recordsOf(projectId), subjectId: ref.consentId };
      if (await this.outbox.isWaiting(waiting, WAITING_SCAN_MAX, tx)) return 0;
      await writeAudit(tx, author, { projectId, action: 'delivery.resend', target: ref.consentId });
      return this.events.announceAgain(tx, projectId, [ref.consentId]);
    });
  }

  /**
   * Queues the records whose latest attempt falls in the range and ended with `status`, or those received in the
   * range that were never announced (`unsent`). Resends of one project take turns, and records that wait already
   * are left out, so nothing is queued twice.
   * @throws DomainError `validation_failed` (422) where the range is empty or too long, `too_many_requests` (429)
   *   where the day's share is used up.
   */
  async resendMany(
    projectId: string,
    selection: ResendSelection,
    author: Author,
  ): Promise<{ queued: number; more: boolean }> {
    checkRange(selection);
    return this.em.fork().transactional(async (tx) => {
      // Locks the settings' row first: two resends at once must not both find the same records.
      await useOfDay(tx, projectId, 'resent', RESENT_RECORDS_PER_DAY, 0);
      const ids = await this.resendable(tx, projectId, selection);
      const wanted = Math.min(ids.length, RESEND_RECORDS_MAX);
      const taken = await useOfDay(tx, projectId, 'resent', RESENT_RECORDS_PER_DAY, wanted);
      const queued = await this.events.announceAgain(tx, projectId, ids.slice(0, taken));
      const { status, from, to } = selection;
      const after = { status, from, to, queued };
      if (queued > 0) await writeAudit(tx, author, { projectId, action: 'delivery.resend', after });
      return { queued, more: ids.length > taken };
    });
  }

  /**
   * How many records `resendMany` would queue now, up to `RESEND_RECORDS_MAX`; `more`: there are others. The day's share
   * is not looked at. @throws DomainError `validation_failed` (422), as `resendMany`.
   */
  async countResendable(
    projectId: string,
    selection: ResendSelection,
  ): Promise<{ records: number; more: boolean }> {
    checkRange(selection);
    const { length } = await this.resendable(this.em.fork(), projectId, selection);
    return { records: Math.min(length, RESEND_RECORDS_MAX), more: length > RESEND_RECORDS_MAX };
  }

  private async resendable(
    tx: EntityManager,
    projectId: string,
    { status, from, to }: ResendSelection,
  ): Promise<string[]> {
    if (status === 'unsent') {
      return this.events.unannouncedIds(tx, { projectId, from, to, limit: RESEND_RECORDS_MAX + 1 });
    }
    const waiting = await this.outbox.waitingSubjects(tx, recordsOf(projectId), WAITING_SCAN_MAX);
    return selectResendable(tx, projectId, { status, from, to, waiting });
  }
}

function checkRange({ from, to }: ResendSelection): void {
  const lengthMs = to.getTime() - from.getTime();
  if (lengthMs <= 0) throw fieldErrors([{ field: 'to', message: 'The end must lie after the beginning.' }]);
  if (lengthMs > RESEND_DAYS_MAX * DAY_MS) {
    throw fieldErrors([
      { field: 'to', message: `At most ${RESEND_DAYS_MAX} days can be sent again at once.` },
    ]);
  }
}

async function selectResendable(
  tx: EntityManager,
  projectId: string,
  { status, from, to, waiting }: { status: DeliveryOutcomeKind; from: Date; to: Date; waiting: string[] },
): Promise<string[]> {
  const lower = uuidLowerBound(from);
  // The second bound on `later.id` says nothing new; it lets PostgreSQL leave the older partitions out.
  const { rows } = await sql<{ consentId: string }>`
    select d.consent_id as "consentId"
    from delivery d
    ${joinRecord('d.project_id', 'd.consent_id')}
    where d.project_id = ${projectId} and d.outcome = ${status}
      and d.id >= ${lower} and d.id < ${uuidLowerBound(to)}
      and not exists (
        select from delivery later
        where later.project_id = ${projectId} and later.consent_id = d.consent_id
          and later.id > d.id and later.id >= ${lower}
      )
      and d.consent_id <> all(${waiting}::uuid[])
    order by d.id
    limit ${RESEND_RECORDS_MAX + 1}
  `.execute(tx.getKysely());
  return rows.map((row) => row.consentId);
}

/** Where the messages about a project's records wait. */
function recordsOf(projectId: string): WaitingOf {
  return { orderingKey: projectId, topic: CONSENT_RECORDED };
}
