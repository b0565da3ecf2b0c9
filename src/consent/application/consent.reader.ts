import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { type LookedPage, lookBack, pageOfLook } from '../../database/look-back.js';
import { ProjectReads } from '../../database/project-reads.js';
import { DomainError } from '../../shared/domain-error.js';
import { isUuid } from '../../shared/ids.js';
import { readCursor } from '../../shared/page.js';
import { consentKey, type ConsentRecorded } from '../domain/consent-recorded.js';
import { ConsentEvents } from '../consent.events.js';
import { filtersOf, rangeOf, type RecordFilter } from './record-filter.js';

/** A page of the records that a filter matches. */
export interface ConsentFilter extends RecordFilter {
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
  configHash: string | null;
  language: string | null;
  surface: string | null;
  receivedAt: Date;
  additionalFields: Record<string, unknown>;
}

/** Reads stored records. */
@Injectable()
export class ConsentReader {
  constructor(
    private readonly reads: ProjectReads,
    private readonly events: ConsentEvents,
  ) {}

  /**
   * The records of a project, the newest decision first, by keyset on the id; a filter that matches few looks at a
   * bounded number of records, and says how far back it came.
   */
  async list(projectId: string, filter: ConsentFilter, gone: AbortSignal): Promise<LookedPage<ConsentItem>> {
    const before = readCursor(filter.cursor, isUuid);
    const range = rangeOf(projectId, filter);
    if (before !== null) range.push(sql`c.id < ${before}::uuid`);
    const query = lookBack<ConsentRecorded>({
      table: 'consent_record',
      columns: sql`c.id, c.project_id as "projectId", c.analytics, c.marketing, c.preferences, c.action, c.hostname,
                   c.config_hash as "configHash", c.language, c.surface, c.extra, c.received_at as "receivedAt"`,
      range,
      filters: filtersOf(filter),
      limit: filter.limit,
    });
    return pageOfLook(await this.reads.list(projectId, query, gone), filter.limit, itemOf);
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

function itemOf(record: ConsentRecorded): ConsentItem {
  const { customEndpoint: _, unannounced: __, extra, ...known } = record;
  return { ...known, additionalFields: extra ?? {} };
}
