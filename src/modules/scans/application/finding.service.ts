import { Injectable } from '@nestjs/common';
import { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { type Page, readCursor, toPage } from '../../../platform/export/page.js';
import { type Finding, FINDING_STATUSES, type FindingKind, type FindingStatus } from '../domain/finding.js';
import { isStored } from '../domain/item-key.js';
import type { ScanState } from '../domain/scan-state.js';
import type { SeenItem } from '../domain/seen-item.js';
import {
  findEndedScan,
  readLoadedPages,
  readSeenItems,
  readTestedStates,
} from '../infrastructure/evidence.rows.js';
import {
  acceptFinding,
  countScanFindings,
  type FindingKey,
  findingKey,
  lockFinding,
  readFindings,
  readFindingsById,
  readScanFindingIds,
  readScanFindings,
  reopenFinding,
  type ScanFindingView,
  type StoredFinding,
} from '../infrastructure/finding.rows.js';
import { findScan } from '../infrastructure/scan.rows.js';

/** Items and findings in each list of changes, beside the total number. */
export const CHANGES_MAX = 200;

/** Findings that count today. */
const CURRENT: readonly FindingStatus[] = ['new', 'open', 'accepted'];
/** A rank and an id. */
const FINDING_KEY = /^(\d{3})\.([0-9a-f-]{36})$/;

/** What happened in one state without consent, in numbers. */
export interface StateSummary {
  state: ScanState;
  tested: boolean;
  /** Cookies and storage entries that need consent, settled or arguably. */
  cookies: number;
  services: number;
  /** Items of which too little is known. */
  open: number;
}

export interface ScanFindings extends Page<ScanFindingView> {
  summary: StateSummary[];
}

/** The differences between two scans. */
export interface Difference<Entry> {
  count: number;
  items: Entry[];
}

export interface ScanChanges {
  /** The scan that it is compared with; null: there is none. */
  since: string | null;
  itemsAdded: Difference<SeenItem>;
  itemsRemoved: Difference<SeenItem>;
  findingsAdded: Difference<StoredFinding>;
  findingsRemoved: Difference<StoredFinding>;
}

interface FindingQuery {
  limit: number;
  cursor?: string;
  status?: FindingStatus;
}

const KIND_OF_STATE = {
  before: 'before_consent',
  reject: 'after_refusal',
  withdraw: 'after_withdrawal',
  signal: 'ignores_gpc',
} as const satisfies Partial<Record<ScanState, FindingKind>>;

/** Reads findings, and accepts or reopens them. */
@Injectable()
export class FindingService {
  constructor(private readonly em: EntityManager) {}

  /** Findings of all scans, the most certain first; without a status all but the fixed ones. */
  async list(projectId: string, query: FindingQuery): Promise<Page<StoredFinding>> {
    const statuses = query.status === undefined ? CURRENT : [query.status];
    const rows = await readFindings(this.em.fork(), projectId, { statuses, ...placeIn(query) });
    return pageOf(rows, query.limit);
  }

  /** Findings of one scan with figures. @throws DomainError `scan_not_found`. */
  async ofScan(projectId: string, scanId: string, query: FindingQuery): Promise<ScanFindings> {
    const em = this.em.fork();
    await findScan(em, projectId, scanId);
    const scan = { projectId, scanId };
    const statuses = query.status === undefined ? FINDING_STATUSES : [query.status];
    const rows = await readScanFindings(em, scan, { statuses, ...placeIn(query) });
    return { ...pageOf(rows, query.limit), summary: await summarize(em, scan) };
  }

  /**
   * Items that a scan saw and another one did not, and the reverse; without `since`, compared with
   * the previous one. @throws DomainError `scan_not_found`.
   */
  async changes(projectId: string, scanId: string, given: string | undefined): Promise<ScanChanges> {
    const em = this.em.fork();
    await findScan(em, projectId, scanId);
    if (given !== undefined) await findScan(em, projectId, given);
    const since = given ?? (await findEndedScan(em, projectId, scanId));
    if (since === null) return { since, ...NO_CHANGES };
    const [now, before] = [
      { projectId, scanId },
      { projectId, scanId: since },
    ];
    const items = differences(await readSeenItems(em, now), await readSeenItems(em, before));
    const [newIds, oldIds] = [await readScanFindingIds(em, now), await readScanFindingIds(em, before)];
    const findings = async (ids: Set<string>, others: Set<string>): Promise<Difference<StoredFinding>> => {
      const different = [...ids].filter((id) => !others.has(id));
      const rows = await readFindingsById(em, projectId, different);
      return { count: different.length, items: rows.slice(0, CHANGES_MAX) };
    };
    return {
      since,
      itemsAdded: items.added,
      itemsRemoved: items.removed,
      findingsAdded: await findings(newIds, oldIds),
      findingsRemoved: await findings(oldIds, newIds),
    };
  }

  /** Accepts a finding with a reason. @throws DomainError `finding_not_found`, `finding_fixed`. */
  async accept(
    { projectId, author }: { projectId: string; author: Author },
    id: string,
    reason: string,
  ): Promise<StoredFinding> {
    return this.change(projectId, id, async (tx, finding) => {
      if (finding.status === 'fixed')
        throw new DomainError('finding_fixed', 'The finding is fixed. There is nothing to accept.');
      const by = { kind: author.kind, id: 'id' in author ? author.id : null };
      await acceptFinding(tx, { projectId, id }, { reason, by });
      await writeAudit(tx, author, {
        projectId,
        action: 'finding.accept',
        target: id,
        before: { status: finding.status },
        after: { status: 'accepted', reason, ...described(finding) },
      });
    });
  }

  /** Undoes an acceptance. @throws DomainError `finding_not_found`, `finding_not_accepted`. */
  async reopen(
    { projectId, author }: { projectId: string; author: Author },
    id: string,
  ): Promise<StoredFinding> {
    return this.change(projectId, id, async (tx, finding) => {
      if (finding.status !== 'accepted')
        throw new DomainError('finding_not_accepted', 'The finding is not accepted.');
      await reopenFinding(tx, { projectId, id });
      await writeAudit(tx, author, {
        projectId,
        action: 'finding.reopen',
        target: id,
        before: { status: 'accepted', reason: finding.acceptedReason },
        after: { status: 'open', ...described(finding) },
      });
    });
  }

  private change(
    projectId: string,
    id: string,
    apply: (tx: EntityManager, finding: StoredFinding) => Promise<void>,
  ): Promise<StoredFinding> {
    return this.em.fork().transactional(async (tx) => {
      const finding = await existing(tx, projectId, id);
      await apply(tx, finding);
      return existing(tx, projectId, id);
    });
  }
}

async function existing(tx: EntityManager, projectId: string, id: string): Promise<StoredFinding> {
  const finding = isUuid(id) ? await lockFinding(tx, projectId, id) : null;
  if (!finding) throw new DomainError('finding_not_found', 'Finding not found.');
  return finding;
}

function described({ kind, name, host }: Finding | StoredFinding): Record<string, string> {
  return { kind, name, host };
}

async function summarize(
  em: EntityManager,
  scan: { projectId: string; scanId: string },
): Promise<StateSummary[]> {
  const counts = await countScanFindings(em, scan);
  const states = await readTestedStates(em, scan, await readLoadedPages(em, scan));
  return (['before', 'reject', 'withdraw', 'signal'] as const).map((state) => {
    const {
      cookies = 0,
      services = 0,
      open = 0,
    } = counts.find(({ kind }) => kind === KIND_OF_STATE[state]) ?? {};
    const tested = states.some((each) => each.state === state && each.status === 'tested');
    return { state, tested, cookies, services, open };
  });
}

const NOTHING = { count: 0, items: [] };
const NO_CHANGES = {
  itemsAdded: NOTHING,
  itemsRemoved: NOTHING,
  findingsAdded: NOTHING,
  findingsRemoved: NOTHING,
};

function differences(
  now: readonly SeenItem[],
  before: readonly SeenItem[],
): { added: Difference<SeenItem>; removed: Difference<SeenItem> } {
  const without = (items: readonly SeenItem[], others: readonly SeenItem[]): Difference<SeenItem> => {
    const known = new Set(others.map(({ id }) => id));
    const different = items
      .filter(({ id }) => !known.has(id))
      .toSorted((a, b) => Number(isStored(b)) - Number(isStored(a)));
    return { count: different.length, items: different.slice(0, CHANGES_MAX) };
  };
  return { added: without(now, before), removed: without(before, now) };
}

function placeIn({ limit, cursor }: FindingQuery): { after: FindingKey | null; limit: number } {
  const key = readCursor(cursor, (text) => isUuid(FINDING_KEY.exec(text)?.[2]));
  const [, rank = '', id = ''] = FINDING_KEY.exec(key ?? '') ?? [];
  return { after: key === null ? null : { rank: Number(rank), id }, limit: limit + 1 };
}

function pageOf<Row extends Pick<Finding, 'certainty' | 'kind' | 'id'>>(
  rows: Row[],
  limit: number,
): Page<Row> {
  return toPage(
    rows,
    limit,
    (row) => {
      const { rank, id } = findingKey(row);
      return `${rank}.${id}`;
    },
    (row) => row,
  );
}
