import { IsolationLevel, type EntityManager } from '@mikro-orm/postgresql';
import { uuidLowerBound } from '../../../platform/identity/ids.js';
import { monthStart } from '../../../platform/time/instant.js';
import { AUDIT_MONTHS_KEPT } from '../../audit/domain/audit-event.js';
import {
  committedHorizon,
  findVisitorReference,
  listUnexplained,
  storedOfProject,
  type StoredEvent,
} from '../../consent/consent.records.js';
import { recordBody } from '../../consent/domain/consent-recorded.js';
import type { Checkpoint } from '../domain/checkpoint.js';
import { computeCommitment, erasureBody } from '../domain/commitment.js';
import { ProofBuilder } from '../domain/proof-builder.js';
import { judgeRows, mayBeHashedSince, type HashedField, type RecordFinding } from '../domain/record-check.js';
import { leafHash } from '../domain/tree-hash.js';
import { findCursor, isBackfilling, isFromOtherServer } from '../infrastructure/cursor.rows.js';
import { listSequenced } from '../infrastructure/entry.rows.js';
import { listLeavesAfter, type ConsentLeaf } from '../infrastructure/leaf.rows.js';
import { DamagedLog, type LogStorage } from '../infrastructure/log-storage.js';
import { findLog, listPastLogs, type SignedLog } from '../infrastructure/log.rows.js';
import { openNewest, openPast, type CheckTools } from './check-log.js';
import { findInclusion } from './signed-view.js';

/** Consent ids that one transaction reads. */
export const CHECKED_AT_ONCE = 500;
const ALL_TIME = new Date(0);

export interface RecordCheckTools extends CheckTools {
  /** Records before this time may have been deleted. */
  keptSince: (now: Date) => Date;
}

/** The result of comparing a page of records with their leaves. */
export interface PageCheck {
  /** Records and erasures that were compared. */
  compared: number;
  /** Records that cannot be compared, because their visitor reference was hashed since. */
  hashed: number;
  findings: (RecordFinding & { id: string })[];
  /** Start of the next page; null: this was the last page. */
  afterId: string | null;
}

interface Page {
  stored: Map<string, StoredEvent>;
  leaves: Map<string, ConsentLeaf>;
  /** The ids of both, in order. */
  ids: string[];
  afterId: string | null;
  /** The transaction up to which the sequencer is; null: not comparable for this project. */
  sequencedXid: bigint | null;
  beginsAt: Date;
  /** Records of this transaction and later ones have a leaf; null: not known. */
  beginsXid: bigint | null;
  hashed: HashedField;
  logs: Map<number, OpenedLog>;
}

interface OpenedLog {
  /** Entries with a leaf, signed or not; for a past log, the final number. */
  size: number;
  signed: Checkpoint | null;
  checkpoint: string | null;
  builder: ProofBuilder;
}

/**
 * Compares a page of a project's records with its log. All rows are read in one snapshot, so a concurrent erasure or
 * continuation is not a finding. Each leaf is verified up to the signed root, not only against its tile.
 * @throws DamagedLog if the storage does not hash to a signed root; then nothing is concluded about records
 */
export async function checkRecordPage(
  tools: RecordCheckTools,
  { projectId, afterId, now }: { projectId: string; afterId: string | null; now: Date },
): Promise<PageCheck> {
  const keptFrom = uuidLowerBound(tools.keptSince(now));
  const from = afterId !== null && afterId > keptFrom ? afterId : keptFrom;
  const page = await readPage(tools, projectId, from);
  const result: PageCheck = { compared: 0, hashed: 0, findings: [], afterId: page.afterId };
  for (const id of page.ids) {
    const verdict = await judge(page, id);
    if (verdict.kind === 'pending') continue;
    result.compared += 1;
    if (verdict.kind === 'hashed') result.hashed += 1;
    else if (verdict.kind !== 'same') result.findings.push({ id, ...verdict });
  }
  const found = new Set(result.findings.map(({ id }) => id));
  // The audit log of an earlier month may be deleted.
  const audited = monthStart(now, 1 - AUDIT_MONTHS_KEPT);
  const erasures = page.ids.flatMap((id) => {
    const event = page.stored.get(id);
    const isAudited = event?.record === null && event.instant >= audited && !found.has(id);
    return isAudited ? [{ id, erasedAt: event.instant }] : [];
  });
  for (const { id } of await listUnexplained(tools.em.fork(), projectId, erasures))
    result.findings.push({
      id,
      kind: 'unlisted',
      detail: 'Its erasure is stored, and the audit log does not list it.',
    });
  return result;
}

function readPage(tools: RecordCheckTools, projectId: string, afterId: string): Promise<Page> {
  const limit = CHECKED_AT_ONCE;
  return tools.em.fork().transactional(
    async (tx) => {
      const cursor = await findCursor(tx);
      const isComparable =
        !isFromOtherServer(cursor, await committedHorizon(tx)) && !(await isBackfilling(tx, projectId));
      const stored = await storedOfProject(tx, { projectId, afterId, since: ALL_TIME, limit });
      const leaves = await listLeavesAfter(tx, { projectId, afterId, limit });
      // If one page is full, the other may be incomplete after its last id.
      const ends = [stored.at(limit - 1)?.id, leaves.at(limit - 1)?.consentId].filter(
        (id) => id !== undefined,
      );
      const [end = null] = ends.toSorted();
      const isWithin = (id: string): boolean => end === null || id <= end;
      const { field, salt } = await findVisitorReference(tx, projectId);
      const storedById = new Map(stored.map((event) => [event.id, event]));
      const leafById = new Map(leaves.map((leaf) => [leaf.consentId, leaf]));
      return {
        stored: storedById,
        leaves: leafById,
        afterId: end,
        beginsAt: cursor.beginsAt,
        ids: [...new Set([...storedById.keys(), ...leafById.keys()])].filter(isWithin).toSorted(),
        sequencedXid: isComparable ? BigInt(cursor.xid) : null,
        beginsXid: cursor.beginsXid === null ? null : BigInt(cursor.beginsXid),
        hashed: salt === null ? null : { field },
        logs: await openLogs({ ...tools, em: tx }, projectId),
      };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}

/** The logs of a project by epoch, with a reader of each tree. */
async function openLogs(tools: CheckTools, projectId: string): Promise<Map<number, OpenedLog>> {
  const newest = await findLog(tools.em, projectId);
  const logs = new Map<number, OpenedLog>();
  for (const past of await listPastLogs(tools.em, projectId))
    logs.set(
      past.epoch,
      opened(tools.storage, { ...past, size: past.checkpointSize }, await openPast(tools, past)),
    );
  if (newest) logs.set(newest.epoch, opened(tools.storage, newest, openNewest(tools, newest)));
  return logs;
}

function opened(
  storage: LogStorage,
  { name, checkpoint, checkpointSize, size }: SignedLog & { size: number },
  signed: Checkpoint | null,
): OpenedLog {
  const builder = new ProofBuilder(checkpointSize, (tile) => storage.readTile(name, tile));
  return { size, signed, checkpoint: checkpointSize === 0 ? null : checkpoint, builder };
}

/** Whether a log has a leaf, signed or not: its row may name a log that does not exist, or an index beyond the log. */
function hasLeaf(log: OpenedLog | undefined, index: number): log is OpenedLog {
  return log !== undefined && index >= 0 && index < log.size;
}

/** The finding where `hasLeaf` is false. */
const NO_SUCH_LEAF: RecordFinding = {
  kind: 'changed',
  detail: 'The row of its leaf names an entry that its log does not have.',
};

type Verdict = RecordFinding | { kind: 'same' } | { kind: 'pending' } | { kind: 'hashed' };

async function judge(page: Page, id: string): Promise<Verdict> {
  const { stored, leaves, sequencedXid, beginsAt, beginsXid, hashed, logs } = page;
  const [event, leaf] = [stored.get(id), leaves.get(id)];
  const rows = judgeRows({
    id,
    beginsAt,
    stored: event
      ? {
          ...event,
          isImported: event.record !== null && event.record.importId !== null,
          isSequenced: isBehind(event.xid, sequencedXid),
          isSinceBegin: beginsXid !== null && BigInt(event.xid) >= beginsXid,
        }
      : null,
    leaf: leaf ? { isErasure: leaf.salt !== null } : null,
  });
  if (rows.kind !== 'compare') return rows;
  if (!event || !leaf) return { kind: 'pending' };
  const log = logs.get(leaf.epoch);
  if (!hasLeaf(log, leaf.index)) return NO_SUCH_LEAF;
  if (!log.checkpoint || leaf.index >= log.builder.size) return { kind: 'pending' };
  if (!log.signed) throw new DamagedLog('The checkpoint in the database is not signed by a known key.');
  const commitment = expectedCommitment(event, leaf);
  const { index } = leaf;
  const leafHashed = commitment === null ? Buffer.alloc(0) : leafHash(commitment);
  const inclusion = await findInclusion(leafHashed, log.builder, { index, checkpoint: log.checkpoint });
  if (inclusion.kind === 'included') return { kind: 'same' };
  if (event.record && mayBeHashedSince(event.record.extra, hashed)) return { kind: 'hashed' };
  return { kind: 'changed', detail: 'It differs from its entry in the log.' };
}

const isBehind = (xid: string, sequencedXid: bigint | null): boolean =>
  sequencedXid !== null && BigInt(xid) < sequencedXid;

/** null: its salt was deleted. */
function expectedCommitment({ id, instant, record }: StoredEvent, leaf: ConsentLeaf): Buffer | null {
  const salt = record ? record.salt : leaf.salt;
  return salt && computeCommitment(salt, record ? recordBody(record) : erasureBody(id, instant));
}

const BATCH_MAX = 500;

/** The committed content of entries as JSON, by the entry's id; stored by the entries' module. */
export type ReadBodies = (
  em: EntityManager,
  projectId: string,
  ids: readonly string[],
) => Promise<Map<string, { body: string; salt: Buffer }>>;

/** The result of comparing entries with their leaves. */
interface EntryCheck {
  compared: number;
  findings: (RecordFinding & { id: string })[];
}

/**
 * Compares the entries that other modules, such as scans, added to a project's log with their
 * leaves, and with `readBodies` also with their committed content.
 * @throws DamagedLog if the storage does not hash to a signed root
 */
export async function checkEntries(
  tools: CheckTools,
  projectId: string,
  readBodies: ReadBodies | null = null,
): Promise<EntryCheck> {
  const logs = await openLogs(tools, projectId);
  const result: EntryCheck = { compared: 0, findings: [] };
  let afterId: string | null = null;
  do {
    const entries = await listSequenced(tools.em, { projectId, afterId, limit: BATCH_MAX });
    const bodies = await readBodies?.(
      tools.em,
      projectId,
      entries.map(({ id }) => id),
    );
    for (const { id, commitment, epoch, index } of entries) {
      const log = logs.get(epoch);
      if (!hasLeaf(log, index)) {
        result.findings.push({ id, ...NO_SUCH_LEAF });
        continue;
      }
      if (!log.checkpoint || index >= log.builder.size) continue;
      if (!log.signed) throw new DamagedLog('The checkpoint in the database is not signed by a known key.');
      result.compared += 1;
      const inclusion = await findInclusion(leafHash(commitment), log.builder, {
        index,
        checkpoint: log.checkpoint,
      });
      const body = bodies?.get(id);
      if (inclusion.kind !== 'included')
        result.findings.push({ id, kind: 'changed', detail: 'The entry differs from the log.' });
      else if (bodies && !body)
        result.findings.push({ id, kind: 'missing', detail: 'What the entry commits to is not stored.' });
      else if (body && !isCommittedTo(body, commitment))
        result.findings.push({ id, kind: 'changed', detail: 'It differs from its entry in the log.' });
    }
    afterId = entries.length === BATCH_MAX ? (entries.at(-1)?.id ?? null) : null;
  } while (afterId !== null);
  return result;
}

function isCommittedTo({ body, salt }: { body: string; salt: Buffer }, commitment: Buffer): boolean {
  try {
    return computeCommitment(salt, JSON.parse(body) as object).equals(commitment);
  } catch {
    return false;
  }
}
