import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import { ConsentRecords, joinRecord } from '../../consent/consent.records.js';
import { ForwardingAnnouncer } from '../../consent/forwarding-announcer.js';
import { OutboxService } from '../../outbox/outbox.service.js';
import { DomainError, fieldErrors } from '../../shared/domain-error.js';
import { isUuid, uuidLowerBound } from '../../shared/ids.js';
import type { DeliveryOutcomeKind, FailureCategory } from '../domain/outcome.js';
import { useOfDay } from './daily-usage.js';
import { recordsOf, WAITING_SCAN_MAX } from './delivery-log.service.js';

/** Longest range that one resend may take (design §5). */
const RESEND_DAYS_MAX = 14;
/** The most records that one resend queues, oldest first; `more` reports whether others remain. */
const RESEND_RECORDS_MAX = 10_000;
/** Records of one project that may be sent again on one day (UTC). */
export const RESENT_RECORDS_PER_DAY = 100_000;
/** Records that a user can select one by one: a page of the log. */
export const RESEND_CHOSEN_MAX = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Which records a resend of a range selects: by the outcome of the latest attempt, or never forwarded. */
export const RESENDABLE = ['failed', 'skipped', 'unsent'] as const;

export interface ResendSelection {
  status: (typeof RESENDABLE)[number];
  /** Only those that failed so; absent: any. */
  category?: FailureCategory;
  from: Date;
  to: Date;
}

/** Manual resends (spec §3.3: never automatic). */
@Injectable()
export class ResendService {
  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentRecords,
    private readonly announcer: ForwardingAnnouncer,
    private readonly outbox: OutboxService,
  ) {}

  /**
   * Queues one stored record again, whatever became of it before. One that is waiting already is not queued
   * twice: 0 then, else 1.
   * @throws DomainError `consent_not_found` (404), `too_many_requests` (429) where the day's share is used up.
   */
  async one(projectId: string, consentId: string, author: Author): Promise<number> {
    const ref = { projectId, consentId: consentId.toLowerCase() };
    const found = isUuid(consentId) ? await this.records.load([ref]) : new Map();
    if (!found.has(consentKey(ref))) {
      throw new DomainError('consent_not_found', 'Consent record not found in this project.');
    }
    return this.em.fork().transactional(async (tx) => {
      await useOfDay(tx, projectId, 'resent', RESENT_RECORDS_PER_DAY, 1);
      const waiting = { ...recordsOf(projectId), subjectId: ref.consentId };
      if (await this.outbox.isWaiting(waiting, WAITING_SCAN_MAX, tx)) return 0;
      await writeAudit(tx, author, { projectId, action: 'delivery.resend', target: ref.consentId });
      return this.announcer.announceAgain(tx, projectId, [ref.consentId]);
    });
  }

  /**
   * Queues the named records again, whatever became of them before, oldest first. Those that wait already, and ids without
   * a record, are left out; `more`: the day's share did not suffice for the rest.
   * @throws DomainError `too_many_requests` (429) where the day's share is used up.
   */
  async selected(
    projectId: string,
    consentIds: string[],
    author: Author,
  ): Promise<{ queued: number; more: boolean }> {
    return this.em.fork().transactional(async (tx) => {
      await useOfDay(tx, projectId, 'resent', RESENT_RECORDS_PER_DAY, 0);
      const waiting = new Set(await this.outbox.waitingSubjects(tx, recordsOf(projectId), WAITING_SCAN_MAX));
      const wanted = [...new Set(consentIds.map((id) => id.toLowerCase()))]
        .filter((id) => !waiting.has(id))
        .sort();
      const ids = await this.records.existing(tx, projectId, wanted);
      const taken = await useOfDay(tx, projectId, 'resent', RESENT_RECORDS_PER_DAY, ids.length);
      const queued = await this.announcer.announceAgain(tx, projectId, ids.slice(0, taken));
      const after = { selected: queued };
      if (queued > 0) await writeAudit(tx, author, { projectId, action: 'delivery.resend', after });
      return { queued, more: ids.length > taken };
    });
  }

  /**
   * Queues the records whose latest attempt falls in the range and ended with `status`, or those received in the
   * range that were never announced (`unsent`). Resends of one project take turns, and records that wait already
   * are left out, so nothing is queued twice.
   * @throws DomainError `validation_failed` (422) where the range is empty or too long, `too_many_requests` (429)
   *   where the day's share is used up.
   */
  async many(
    projectId: string,
    selection: ResendSelection,
    author: Author,
  ): Promise<{ queued: number; more: boolean }> {
    checkSelection(selection);
    return this.em.fork().transactional(async (tx) => {
      // Locks the settings' row first: two resends at once must not both find the same records.
      await useOfDay(tx, projectId, 'resent', RESENT_RECORDS_PER_DAY, 0);
      const ids = await this.resendable(tx, projectId, selection);
      const wanted = Math.min(ids.length, RESEND_RECORDS_MAX);
      const taken = await useOfDay(tx, projectId, 'resent', RESENT_RECORDS_PER_DAY, wanted);
      const queued = await this.announcer.announceAgain(tx, projectId, ids.slice(0, taken));
      const { status, category, from, to } = selection;
      const after = { status, ...(category && { category }), from, to, queued };
      if (queued > 0) await writeAudit(tx, author, { projectId, action: 'delivery.resend', after });
      return { queued, more: ids.length > taken };
    });
  }

  /**
   * How many records `many` would queue now, up to `RESEND_RECORDS_MAX`; `more`: there are others. The day's share
   * is not looked at. @throws DomainError `validation_failed` (422), as `many`.
   */
  async count(projectId: string, selection: ResendSelection): Promise<{ records: number; more: boolean }> {
    checkSelection(selection);
    const { length } = await this.resendable(this.em.fork(), projectId, selection);
    return { records: Math.min(length, RESEND_RECORDS_MAX), more: length > RESEND_RECORDS_MAX };
  }

  private async resendable(
    tx: EntityManager,
    projectId: string,
    selection: ResendSelection,
  ): Promise<string[]> {
    const { status, from, to } = selection;
    if (status === 'unsent') {
      return this.announcer.skippedIds(tx, { projectId, from, to, limit: RESEND_RECORDS_MAX + 1 });
    }
    const waiting = await this.outbox.waitingSubjects(tx, recordsOf(projectId), WAITING_SCAN_MAX);
    return selectResendable(tx, projectId, { ...selection, status, waiting });
  }
}

function checkSelection({ status, category, from, to }: ResendSelection): void {
  if (category !== undefined && status !== 'failed')
    throw fieldErrors([{ field: 'category', message: 'category requires the status failed.' }]);
  const lengthMs = to.getTime() - from.getTime();
  if (lengthMs <= 0)
    throw fieldErrors([
      { field: 'to', message: 'The end must be after the start.', code: 'end_before_beginning' },
    ]);
  if (lengthMs > RESEND_DAYS_MAX * DAY_MS) {
    throw fieldErrors([
      {
        field: 'to',
        message: `You can resend at most ${RESEND_DAYS_MAX} days at a time.`,
        code: 'period_too_long',
        max: RESEND_DAYS_MAX,
      },
    ]);
  }
}

async function selectResendable(
  tx: EntityManager,
  projectId: string,
  {
    status,
    category,
    from,
    to,
    waiting,
  }: Omit<ResendSelection, 'status'> & { status: DeliveryOutcomeKind; waiting: string[] },
): Promise<string[]> {
  const lower = uuidLowerBound(from);
  // The second bound on `later.id` says nothing new; it lets PostgreSQL leave the older partitions out.
  const { rows } = await sql<{ consentId: string }>`
    select d.consent_id as "consentId"
    from delivery d
    ${joinRecord('d.project_id', 'd.consent_id')}
    where d.project_id = ${projectId} and d.outcome = ${status} and not d.superseded
      and (${category ?? null}::text is null or d.category = ${category ?? null})
      and d.id >= ${lower} and d.id < ${uuidLowerBound(to)}
      and not exists (
        select from delivery later
        where later.project_id = ${projectId} and later.consent_id = d.consent_id
          and later.id > d.id and later.id >= ${lower} and not later.superseded
      )
      and d.consent_id <> all(${waiting}::uuid[])
    order by d.id
    limit ${RESEND_RECORDS_MAX + 1}
  `.execute(tx.getKysely());
  return rows.map((row) => row.consentId);
}
