import { Injectable } from '@nestjs/common';
import { toScannedPage, type ScannedPage } from '../../../platform/database/bounded-scan.js';
import { ProjectReads } from '../../../platform/database/project-reads.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUuid, uuidTimeMs } from '../../../platform/identity/ids.js';
import { readCursor } from '../../../platform/export/page.js';
import { consentKey, type ConsentRecorded, type DeliveryStateName } from '../domain/consent-recorded.js';
import { ConsentHooks } from '../consent.hooks.js';
import { ConsentRecords } from '../consent.records.js';
import type { RecordFilter } from '../domain/record-filter.js';
import { recordPage, visitorRecordCount } from '../infrastructure/record.rows.js';

/** Records per batch of a visitor's file. */
const VISITOR_BATCH_ROWS = 500;

/** A page of the records that a filter matches. */
export interface ConsentFilter extends RecordFilter {
  /** One record; absent: any. */
  id?: string;
  /** State of its delivery; absent: any. */
  delivery?: DeliveryStateName;
  /** Whether each record includes its delivery state. */
  withDelivery?: boolean;
  /** Hash of the visitor reference; absent: any visitor. */
  visitorHash?: Buffer;
  /** The id of an imported record in the product from which it came; absent: any. */
  originalId?: string;
  limit: number;
  cursor?: string;
}

export interface ConsentItem extends Omit<
  ConsentRecorded,
  'customEndpoint' | 'extra' | 'skippedReason' | 'salt'
> {
  additionalFields: Record<string, unknown>;
  /** When the consent was given, of an imported record, which `receivedAt` does not tell; null: not imported. */
  givenAt: Date | null;
  /** Only if the list requested it; null: the log no longer holds its attempt. */
  deliveryState?: DeliveryStateName | null;
}

/** Reads stored records. */
@Injectable()
export class ConsentReader {
  constructor(
    private readonly reads: ProjectReads,
    private readonly hooks: ConsentHooks,
    private readonly records: ConsentRecords,
  ) {}

  /**
   * The records of a project, newest first, paged by id. A filter that matches few records scans a
   * bounded number of them, and the page returns the position that it reached.
   */
  async list(projectId: string, filter: ConsentFilter, gone: AbortSignal): Promise<ScannedPage<ConsentItem>> {
    const before = readCursor(filter.cursor, isUuid);
    const delivery = await this.hooks.deliveryConditions(projectId, filter.delivery);
    const query = recordPage(projectId, { ...filter, before }, delivery);
    const page = toScannedPage(
      await this.reads.list(projectId, query, gone),
      filter.limit,
      (record) => record,
    );
    if (!filter.withDelivery) return { ...page, items: page.items.map(itemOf) };
    const states = await this.hooks.current.readDeliveryStates(projectId, page.items);
    const items = page.items.map((record) => ({
      ...itemOf(record),
      deliveryState: states.get(record.id) ?? null,
    }));
    return { ...page, items };
  }

  /** All records of a visitor, newest first, batch by batch, each in a separate query. Throws as `list`. */
  async *ofVisitor(projectId: string, visitorHash: Buffer, gone: AbortSignal): AsyncGenerator<ConsentItem[]> {
    let cursor: string | null = null;
    do {
      const page: ScannedPage<ConsentItem> = await this.list(
        projectId,
        { visitorHash, limit: VISITOR_BATCH_ROWS, ...(cursor !== null && { cursor }) },
        gone,
      );
      if (page.items.length > 0) yield page.items;
      cursor = page.nextCursor;
    } while (cursor !== null);
  }

  async countOfVisitor(projectId: string, visitorHash: Buffer, gone: AbortSignal): Promise<number> {
    const [row] = await this.reads.report(projectId, visitorRecordCount(projectId, visitorHash), gone);
    return row?.records ?? 0;
  }

  /**
   * One record, with the members that other modules add (`delivery`).
   * @throws DomainError `consent_not_found`
   */
  async one(projectId: string, consentId: string): Promise<ConsentItem & Record<string, unknown>> {
    const ref = { projectId, consentId: consentId.toLowerCase() };
    const record = isUuid(consentId) ? (await this.records.load([ref])).get(consentKey(ref)) : undefined;
    if (!record) throw new DomainError('consent_not_found', 'Consent record not found in this project.');
    const details = await Promise.all(
      this.hooks.details.map(async ({ member, read }) => [member, await read(record)] as const),
    );
    return { ...itemOf(record), ...Object.fromEntries(details) };
  }
}

/** A record as shown in the dashboard and to its visitor. */
export function itemOf(record: ConsentRecorded): ConsentItem {
  const { customEndpoint: _, skippedReason: __, salt: ___, extra, ...known } = record;
  const givenAt = record.importId === null ? null : new Date(uuidTimeMs(record.id));
  return { ...known, givenAt, additionalFields: extra ?? {} };
}
