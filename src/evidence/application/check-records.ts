import { IsolationLevel } from '@mikro-orm/postgresql';
import { completeBelow, type StoredEvent, storedOfProject } from '../../consent/consent.records.js';
import { recordBody } from '../../consent/domain/record-body.js';
import { uuidLowerBound } from '../../shared/ids.js';
import type { Checkpoint } from '../domain/checkpoint.js';
import { commitmentOf, erasureBody } from '../domain/commitment.js';
import { judgeRows, mayBeHashedSince, type RecordFinding } from '../domain/record-check.js';
import { TreeReader } from '../domain/tile-reader.js';
import { leafHash } from '../domain/tree-hash.js';
import { isBackfilling, leavesAfter, type LeafOfId } from '../infrastructure/check-rows.js';
import { findCursor, isOfOtherServer } from '../infrastructure/cursor-rows.js';
import { findLog, listPastLogs, type SignedLog } from '../infrastructure/log-rows.js';
import { DamagedLog, type LogStorage } from '../infrastructure/log-storage.js';
import { type CheckTools, openNewest, openPast } from './check-log.js';
import { judgeLeaf } from './proofs.js';

/** Consent ids that one transaction reads. */
export const CHECKED_AT_ONCE = 500;
const ALL_TIME = new Date(0);

export interface RecordCheckTools extends CheckTools {
  /** Records before this instant may be gone. */
  keptSince: (now: Date) => Date;
}

/** The result of comparing a page of records with their leaves. */
export interface PageCheck {
  /** Records and erasures that were compared. */
  compared: number;
  /** Those that cannot be compared, because their visitor is kept as a hash since. */
  hashed: number;
  findings: (RecordFinding & { id: string })[];
  /** Where the next page begins; null: this was the last one. */
  afterId: string | null;
}

interface Page {
  stored: Map<string, StoredEvent>;
  leaves: Map<string, LeafOfId>;
  /** All ids of both, in their order. */
  ids: string[];
  afterId: string | null;
  /** The transaction that the sequencer has come to; null: that says nothing about this project. */
  sequencedXid: bigint | null;
  beginsAt: Date;
  /** By their numbers. */
  logs: Map<number, OpenedLog>;
}

interface OpenedLog {
  signed: Checkpoint | null;
  checkpoint: string | null;
  tree: TreeReader;
}

/**
 * Compares a page of a project's records with its log. All rows are read at one time (one snapshot), so a concurrent erasure
 * or continuation is not a finding. Each leaf is compared with the signed root over its path, not with a tile alone.
 * @throws DamagedLog where the storage does not lead to a signed root; nothing is said about a record then
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
  return result;
}

function readPage(tools: RecordCheckTools, projectId: string, afterId: string): Promise<Page> {
  const limit = CHECKED_AT_ONCE;
  return tools.em.fork().transactional(
    async (tx) => {
      const cursor = await findCursor(tx);
      const isComparable =
        !isOfOtherServer(cursor, await completeBelow(tx)) && !(await isBackfilling(tx, projectId));
      const stored = await storedOfProject(tx, { projectId, afterId, since: ALL_TIME, limit });
      const leaves = await leavesAfter(tx, { projectId, afterId, limit });
      // Behind the last id of a full page the other one may lack rows.
      const ends = [stored.at(limit - 1)?.id, leaves.at(limit - 1)?.consentId].filter(
        (id) => id !== undefined,
      );
      const [end = null] = ends.toSorted();
      const isWithin = (id: string): boolean => end === null || id <= end;
      const storedById = new Map(stored.map((event) => [event.id, event]));
      const leafById = new Map(leaves.map((leaf) => [leaf.consentId, leaf]));
      return {
        ...{ stored: storedById, leaves: leafById, afterId: end, beginsAt: cursor.beginsAt },
        ids: [...new Set([...storedById.keys(), ...leafById.keys()])].filter(isWithin).toSorted(),
        sequencedXid: isComparable ? BigInt(cursor.xid) : null,
        logs: await openLogs({ ...tools, em: tx }, projectId),
      };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}

async function openLogs(tools: CheckTools, projectId: string): Promise<Map<number, OpenedLog>> {
  const newest = await findLog(tools.em, projectId);
  const logs = new Map<number, OpenedLog>();
  for (const past of await listPastLogs(tools.em, projectId))
    logs.set(past.epoch, opened(tools.storage, past, await openPast(tools, past)));
  if (newest) logs.set(newest.epoch, opened(tools.storage, newest, openNewest(tools, newest)));
  return logs;
}

function opened(storage: LogStorage, log: SignedLog, signed: Checkpoint | null): OpenedLog {
  const { name, checkpoint, checkpointSize } = log;
  const tree = new TreeReader(checkpointSize, (tile) => storage.readTile(name, tile));
  return { signed, checkpoint: checkpointSize === 0 ? null : checkpoint, tree };
}

type Verdict = RecordFinding | { kind: 'same' } | { kind: 'pending' } | { kind: 'hashed' };

async function judge({ stored, leaves, sequencedXid, beginsAt, logs }: Page, id: string): Promise<Verdict> {
  const [event, leaf] = [stored.get(id), leaves.get(id)];
  const rows = judgeRows({
    ...{ id, beginsAt },
    stored: event ? { ...event, isSequenced: isBehind(event.xid, sequencedXid) } : null,
    leaf: leaf ? { isErasure: leaf.salt !== null } : null,
  });
  if (rows.kind !== 'compare') return rows;
  const log = leaf && logs.get(leaf.epoch);
  if (!event || !leaf || !log?.checkpoint || leaf.index >= log.tree.size) return { kind: 'pending' };
  if (!log.signed) throw new DamagedLog('The checkpoint in the database is not signed by a known key.');
  const commitment = commitmentTo(event, leaf);
  const { index } = leaf;
  const hash = commitment === null ? Buffer.alloc(0) : leafHash(commitment);
  if ((await judgeLeaf(hash, log.tree, { index, checkpoint: log.checkpoint })).kind === 'same')
    return { kind: 'same' };
  if (event.record && mayBeHashedSince(event.record.extra)) return { kind: 'hashed' };
  return { kind: 'changed', detail: 'It is not what was sealed.' };
}

/** Transactions before the upgrade have no number (null). */
const isBehind = (xid: string | null, sequencedXid: bigint | null): boolean =>
  xid !== null && sequencedXid !== null && BigInt(xid) < sequencedXid;

/** null: its salt is gone. */
function commitmentTo({ id, instant, record }: StoredEvent, leaf: LeafOfId): Buffer | null {
  const salt = record ? record.salt : leaf.salt;
  return salt && commitmentOf(salt, record ? recordBody(record) : erasureBody(id, instant));
}
