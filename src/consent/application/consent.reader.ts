import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { type RawBuilder, sql } from 'kysely';
import { DomainError } from '../../shared/domain-error.js';
import { isUuid, uuidLowerBound } from '../../shared/ids.js';
import { type Page, pageOf, readCursor } from '../../shared/page.js';
import { ConsentEvents, consentKey, type ConsentRecorded } from '../consent.events.js';
import { CONSENT_ID_AGE_MAX_MS, CONSENT_ID_AHEAD_MAX_MS } from '../domain/consent-input.js';

/** Filters of the list; absent ones match all. Instants are of receipt: `from` inclusive, `to` exclusive. */
export interface ConsentFilter {
  from?: Date;
  to?: Date;
  action?: string;
  hostname?: string;
  analytics?: boolean;
  marketing?: boolean;
  preferences?: boolean;
  limit: number;
  cursor?: string;
}

/** A record as the dashboard sees it. */
export interface ConsentItem {
  id: string;
  projectId: string;
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  action: string;
  hostname: string | null;
  receivedAt: Date;
  additionalFields: Record<string, unknown>;
}

/** Reads stored records. */
@Injectable()
export class ConsentReader {
  constructor(
    private readonly em: EntityManager,
    private readonly events: ConsentEvents,
  ) {}

  /** The records of a project, the newest decision first, by keyset on the id. */
  async list(projectId: string, filter: ConsentFilter): Promise<Page<ConsentItem>> {
    const before = readCursor(filter.cursor, isUuid);
    const conditions = conditionsOf(projectId, filter);
    if (before !== null) conditions.push(sql`c.id < ${before}::uuid`);
    const { rows } = await sql<Omit<ConsentRecorded, 'receivedAt'> & { receivedAt: string }>`
      select c.id, c.project_id as "projectId", c.analytics, c.marketing, c.preferences, c.action, c.hostname,
             c.extra, c.received_at as "receivedAt"
      from consent_record c
      where ${sql.join(conditions, sql` and `)}
      order by c.id desc
      limit ${filter.limit + 1}
    `.execute(this.em.fork().getKysely());
    return pageOf(
      rows,
      filter.limit,
      (row) => row.id,
      (row) => itemOf({ ...row, receivedAt: new Date(row.receivedAt) }),
    );
  }

  /**
   * One record, with what other modules have to say of it (`delivery`).
   * @throws DomainError `consent_not_found`
   */
  async one(projectId: string, consentId: string): Promise<ConsentItem & Record<string, unknown>> {
    const ref = { projectId, consentId: consentId.toLowerCase() };
    const record = isUuid(consentId) ? (await this.events.load([ref])).get(consentKey(ref)) : undefined;
    if (!record)
      throw new DomainError('consent_not_found', 'There is no such consent record in this project.');
    const details = await Promise.all(
      this.events.details.map(async ({ member, read }) => [member, await read(record)] as const),
    );
    return { ...itemOf(record), ...Object.fromEntries(details) };
  }
}

/**
 * The filter as SQL. The instants also bound the id, within what an id may differ from its receipt, so that
 * the months outside are not read at all.
 */
function conditionsOf(projectId: string, filter: ConsentFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [sql`c.project_id = ${projectId}`];
  if (filter.from) {
    const earliest = new Date(filter.from.getTime() - CONSENT_ID_AGE_MAX_MS);
    conditions.push(sql`c.received_at >= ${filter.from}`, sql`c.id >= ${uuidLowerBound(earliest)}::uuid`);
  }
  if (filter.to) {
    const latest = new Date(filter.to.getTime() + CONSENT_ID_AHEAD_MAX_MS + 1);
    conditions.push(sql`c.received_at < ${filter.to}`, sql`c.id < ${uuidLowerBound(latest)}::uuid`);
  }
  if (filter.action !== undefined) conditions.push(sql`c.action = ${filter.action}`);
  if (filter.hostname !== undefined) conditions.push(sql`c.hostname = ${filter.hostname.toLowerCase()}`);
  for (const flag of ['analytics', 'marketing', 'preferences'] as const) {
    if (filter[flag] !== undefined) conditions.push(sql`${sql.ref(`c.${flag}`)} = ${filter[flag]}`);
  }
  return conditions;
}

function itemOf(record: ConsentRecorded): ConsentItem {
  const { customEndpoint: _, unannounced: __, extra, ...known } = record;
  return { ...known, additionalFields: extra ?? {} };
}
