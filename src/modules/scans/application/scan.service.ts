import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { type Page, readCursor, toPage } from '../../../platform/export/page.js';
import { placeInQueue, type QueuePlace } from '../domain/scan-limits.js';
import type { ScanResult } from '../domain/scan-result.js';
import { type ItemGroup, kindsIn } from '../domain/scan.js';
import type {
  ScanFigures,
  ScanItemView,
  ScanPageView,
  ScanStateView,
  ScanView,
} from '../domain/scan-view.js';
import { SCANNER_ALIVE_MS } from '../domain/scanner.js';
import { readQueue } from '../infrastructure/account.rows.js';
import {
  cancelScan,
  findScan,
  type ItemPlace,
  readFigures,
  readItemPage,
  readPages,
  readScanPage,
} from '../infrastructure/scan.rows.js';
import { readScanResults } from '../infrastructure/scan-result.rows.js';
import { readScreenshot, readStates } from '../infrastructure/state.rows.js';
import { SCAN_STATES, type ScanState } from '../domain/scan-state.js';

const ITEM_KEY = new RegExp(String.raw`^(${SCAN_STATES.join('|')})\.(\d{1,9})\.(\d{1,9})$`);

/** Which items are listed. */
interface ItemQuery {
  limit: number;
  cursor?: string;
  group?: ItemGroup;
  page?: number;
  state?: ScanState;
}

export interface ScanSummary extends ScanView {
  /** null: it does not wait for a scanner. */
  queue: QueuePlace | null;
  /** null: it has not ended, loaded no page, or is not evaluated yet. */
  result: ScanResult | null;
}

export interface ScanDetails extends ScanSummary {
  figures: ScanFigures;
  pageList: ScanPageView[];
  states: ScanStateView[];
}

/** Reads and cancels scans of a project. */
@Injectable()
export class ScanService {
  constructor(private readonly em: EntityManager) {}

  /** Newest first. */
  async list(projectId: string, query: { limit: number; cursor?: string }): Promise<Page<ScanSummary>> {
    const before = readCursor(query.cursor, isUuid);
    const em = this.em.fork();
    const rows = await readScanPage(em, projectId, { before, limit: query.limit + 1 });
    return toPage(
      await summarize(em, projectId, rows),
      query.limit,
      ({ id }) => id,
      (row) => row,
    );
  }

  /** @throws DomainError `scan_not_found`. */
  async read(projectId: string, id: string): Promise<ScanDetails> {
    const em = this.em.fork();
    const scan = await findScan(em, projectId, id);
    const [summary = { ...scan, queue: null, result: null }] = await summarize(em, projectId, [scan]);
    return {
      ...summary,
      figures: await readFigures(em, projectId, id),
      pageList: await readPages(em, projectId, id),
      states: await readStates(em, projectId, id),
    };
  }

  /** A JPEG. @throws DomainError `scan_not_found`, `screenshot_not_found`. */
  async screenshot(projectId: string, id: string, state: string): Promise<Buffer> {
    const em = this.em.fork();
    await findScan(em, projectId, id);
    const known = SCAN_STATES.find((each) => each === state);
    const content = known ? await readScreenshot(em, { projectId, scanId: id }, known) : null;
    if (!content) throw new DomainError('screenshot_not_found', 'There is no screenshot of this state.');
    return content;
  }

  /** The observed items, by page. @throws DomainError `scan_not_found`. */
  async items(
    projectId: string,
    id: string,
    { group, page, state, ...query }: ItemQuery,
  ): Promise<Page<ScanItemView>> {
    const em = this.em.fork();
    await findScan(em, projectId, id);
    const cursor = readCursor(query.cursor, (key) => ITEM_KEY.test(key));
    const rows = await readItemPage(
      em,
      { projectId, scanId: id },
      {
        ...(group !== undefined && { kinds: kindsIn(group) }),
        ...(page !== undefined && { page }),
        ...(state !== undefined && { state }),
        after: cursor === null ? null : keyIn(cursor),
        limit: query.limit + 1,
      },
    );
    return toPage(
      rows,
      query.limit,
      (row) => `${row.state}.${row.page}.${row.number}`,
      (row) => row,
    );
  }

  /** @throws DomainError `scan_not_found`, or `scan_ended` if there is nothing to cancel. */
  async cancel(
    { projectId, author }: { projectId: string; author: Author },
    id: string,
  ): Promise<ScanDetails> {
    await this.em.fork().transactional(async (tx) => {
      await findScan(tx, projectId, id);
      if (!(await cancelScan(tx, projectId, id))) throw new DomainError('scan_ended', 'The scan has ended.');
      await writeAudit(tx, author, { projectId, action: 'scan.cancel', target: id });
    });
    return this.read(projectId, id);
  }
}

async function summarize(
  em: EntityManager,
  projectId: string,
  scans: readonly ScanView[],
): Promise<ScanSummary[]> {
  const results = await readScanResults(
    em,
    projectId,
    scans.map(({ id }) => id),
  );
  // Only one scan of a project can wait.
  const isOpen = scans.some(({ endedAt }) => endedAt === null);
  const queue = isOpen ? await readQueue(em, projectId, SCANNER_ALIVE_MS) : null;
  return scans.map((scan) => ({
    ...scan,
    queue: queue?.scanId === scan.id ? placeInQueue(queue) : null,
    result: results.get(scan.id) ?? null,
  }));
}

function keyIn(cursor: string): ItemPlace {
  const [, state = 'before', page = '0', number = '0'] = ITEM_KEY.exec(cursor) ?? [];
  return { state: state as ScanState, page: Number(page), number: Number(number) };
}
