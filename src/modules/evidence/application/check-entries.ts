import type { EntityManager } from '@mikro-orm/postgresql';
import { computeCommitment } from '../domain/commitment.js';
import { leafHash } from '../domain/tree-hash.js';
import type { RecordFinding } from '../domain/record-check.js';
import { listSequenced } from '../infrastructure/entry.rows.js';
import { DamagedLog } from '../infrastructure/log-storage.js';
import type { CheckTools } from './check-log.js';
import { hasLeaf, NO_SUCH_LEAF, openLogs } from './check-records.js';
import { findInclusion } from './inclusion.js';

/** Entries per read. */
const BATCH_MAX = 500;

/** The committed content of entries as JSON, by the entry's id; stored by the entries' module. */
export type ReadBodies = (
  em: EntityManager,
  projectId: string,
  ids: readonly string[],
) => Promise<Map<string, { body: string; salt: Buffer }>>;

/** The result of comparing entries with their leaves. */
export interface EntryCheck {
  compared: number;
  findings: (RecordFinding & { id: string })[];
}

/**
 * Compares the entries that other modules, such as scans, added to a project's log with their
 * leaves, and with `readBodies` also with their committed content.
 *
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
