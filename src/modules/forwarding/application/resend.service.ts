import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { consentKey } from '../../consent/domain/consent-recorded.js';
import { ConsentRecords } from '../../consent/consent.records.js';
import { ForwardingAnnouncer } from '../../consent/forwarding-announcer.js';
import { isWaiting, waitingSubjects } from '../../../platform/outbox/queued-messages.js';
import { DomainError, fieldErrors } from '../../../platform/errors/domain-error.js';
import { isUuid } from '../../../platform/identity/ids.js';
import type { ResendSelection } from '../domain/delivery-outcome.js';
import { readRetry, retryingIds } from '../infrastructure/retry.rows.js';
import { selectResendable } from '../infrastructure/delivery.rows.js';
import { reserveDailyUsage } from '../infrastructure/settings.rows.js';
import { recordQueue, WAITING_SCAN_MAX } from './delivery-log.service.js';

/** Longest period of one resend (design §5). */
const RESEND_DAYS_MAX = 14;
/** Most records that one resend queues, oldest first; `more` reports whether others remain. */
const RESEND_RECORDS_MAX = 10_000;
/** Records of one project that may be resent per day (UTC). */
export const RESENT_RECORDS_PER_DAY = 100_000;
/** Records that a user can select individually: a page of the log. */
export const RESEND_CHOSEN_MAX = 200;
const DAY_MS = 24 * 60 * 60 * 1000;

/** The daily usage of a resend of this many records. */
const resends = (count: number): Parameters<typeof reserveDailyUsage>[2] => ({
  action: 'resent',
  count,
  perDay: RESENT_RECORDS_PER_DAY,
});

/** Manual resends (spec §3.3: never automatic). */
@Injectable()
export class ResendService {
  constructor(
    private readonly em: EntityManager,
    private readonly records: ConsentRecords,
    private readonly announcer: ForwardingAnnouncer,
  ) {}

  /**
   * Queues one stored record again, in any delivery state. Returns 0 if it is queued or retried
   * already, else 1.
   *
   * @throws DomainError `consent_not_found` (404), `too_many_requests` (429) if the daily limit is
   * reached.
   */
  async one(projectId: string, consentId: string, author: Author): Promise<number> {
    const ref = { projectId, consentId: consentId.toLowerCase() };
    const found = isUuid(consentId) ? await this.records.load([ref]) : new Map();
    if (!found.has(consentKey(ref)))
      throw new DomainError('consent_not_found', 'Consent record not found in this project.');
    return this.em.fork().transactional(async (tx) => {
      await reserveDailyUsage(tx, projectId, resends(1));
      const waiting = { ...recordQueue(projectId), subjectId: ref.consentId };
      if (await isWaiting(tx, waiting, WAITING_SCAN_MAX)) return 0;
      if (await readRetry(tx, ref)) return 0;
      await writeAudit(tx, author, { projectId, action: 'delivery.resend', target: ref.consentId });
      return this.announcer.announceAgain(tx, projectId, [ref.consentId]);
    });
  }

  /**
   * Queues these records again, in any delivery state, oldest first. Skips records that are queued
   * or retried already, and ids without a record; `more`: the daily limit did not allow the rest.
   *
   * @throws DomainError `too_many_requests` (429) if the daily limit is reached.
   */
  async selected(
    projectId: string,
    consentIds: string[],
    author: Author,
  ): Promise<{ queued: number; more: boolean }> {
    return this.em.fork().transactional(async (tx) => {
      await reserveDailyUsage(tx, projectId, resends(0));
      const waiting = new Set(await waitingSubjects(tx, recordQueue(projectId), WAITING_SCAN_MAX));
      const among = [...new Set(consentIds.map((id) => id.toLowerCase()))];
      const retried = new Set(await retryingIds(tx, projectId, { among, limit: among.length }));
      const requested = among.filter((id) => !waiting.has(id) && !retried.has(id)).sort();
      const ids = await this.records.existing(tx, projectId, requested);
      const taken = await reserveDailyUsage(tx, projectId, resends(ids.length));
      const queued = await this.announcer.announceAgain(tx, projectId, ids.slice(0, taken));
      const after = { selected: queued };
      if (queued > 0) await writeAudit(tx, author, { projectId, action: 'delivery.resend', after });
      return { queued, more: ids.length > taken };
    });
  }

  /**
   * Queues the records whose latest attempt is in the period and has the outcome `status`, or those
   * received in the period that were never queued (`unsent`). Resends of one project wait for each
   * other, and records that are queued already are skipped, so nothing is queued twice.
   *
   * @throws DomainError `validation_failed` (422) if the period is empty or too long,
   * `too_many_requests` (429) if the daily limit is reached.
   */
  async many(
    projectId: string,
    selection: ResendSelection,
    author: Author,
  ): Promise<{ queued: number; more: boolean }> {
    checkSelection(selection);
    return this.em.fork().transactional(async (tx) => {
      // Locks the settings row first, so that concurrent resends don't select the same records.
      await reserveDailyUsage(tx, projectId, resends(0));
      const ids = await this.resendable(tx, projectId, selection);
      const count = Math.min(ids.length, RESEND_RECORDS_MAX);
      const taken = await reserveDailyUsage(tx, projectId, resends(count));
      const queued = await this.announcer.announceAgain(tx, projectId, ids.slice(0, taken));
      const { status, category, from, to } = selection;
      const after = { status, ...(category && { category }), from, to, queued };
      if (queued > 0) await writeAudit(tx, author, { projectId, action: 'delivery.resend', after });
      return { queued, more: ids.length > taken };
    });
  }

  /**
   * How many records `many` would queue now, up to `RESEND_RECORDS_MAX`; `more`: there are others. Ignores the daily
   * limit. @throws DomainError `validation_failed` (422), as `many`.
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
    if (status === 'unsent')
      return this.announcer.skippedIds(tx, { projectId, from, to, limit: RESEND_RECORDS_MAX + 1 });
    const waiting = await waitingSubjects(tx, recordQueue(projectId), WAITING_SCAN_MAX);
    return selectResendable(tx, projectId, { ...selection, status, waiting, limit: RESEND_RECORDS_MAX + 1 });
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
  if (lengthMs > RESEND_DAYS_MAX * DAY_MS)
    throw fieldErrors([
      {
        field: 'to',
        message: `You can resend at most ${RESEND_DAYS_MAX} days at a time.`,
        code: 'period_too_long',
        max: RESEND_DAYS_MAX,
      },
    ]);
}
