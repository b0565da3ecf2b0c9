import type { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { readActiveHosts } from '../../domains/active-hosts.js';
import { deleteEntries } from '../../evidence/log-entries.js';
import { newId } from '../../../platform/identity/ids.js';
import type { ScanOrigin } from '../domain/scan.js';
import type { ScanState } from '../domain/scan-state.js';
import { ACCOUNT_QUEUED_MAX, SCANS_KEPT_MAX, waitForWorkMs } from '../domain/scan-limits.js';
import { lockAccountUse } from '../infrastructure/account.rows.js';
import { deleteOldScans, insertScan } from '../infrastructure/scan.rows.js';

/** An allowed scan: the caller has checked the rules under the project's lock. */
export interface ScanRequest {
  project: { id: string; domains: string[] };
  author: Author;
  urls: string[];
  pagesMax: number;
  /** States that are left out. */
  skippedStates: readonly ScanState[];
  /** Whether pages that robots.txt denies are visited, too. */
  ignoreRobots: boolean;
  origin: ScanOrigin;
}

/**
 * Why the account of a project may queue no further scan: too many are queued, or it waits for scanner time. null: it may,
 * until the transaction ends.
 */
export async function refuseAccount(
  tx: EntityManager,
  { projectId, now }: { projectId: string; now: Date },
): Promise<{ kind: 'queue_full' } | { kind: 'no_time'; waitMs: number } | null> {
  const { queued, hours } = await lockAccountUse(tx, projectId);
  if (queued >= ACCOUNT_QUEUED_MAX) return { kind: 'queue_full' };
  const waitMs = waitForWorkMs(hours, now);
  return waitMs > 0 ? { kind: 'no_time', waitMs } : null;
}

/** Queues a scan, deletes the oldest one where too many are kept, and records the request. Returns the scan's id. */
export async function queueScan(tx: EntityManager, request: ScanRequest): Promise<string> {
  const { project, author, urls, pagesMax, skippedStates, ignoreRobots, origin } = request;
  const id = newId();
  const deleted = await deleteOldScans(tx, project.id, SCANS_KEPT_MAX - 1);
  await deleteEntries(tx, { projectId: project.id, ids: deleted });
  await insertScan(tx, {
    projectId: project.id,
    id,
    urls,
    domains: project.domains,
    pagesMax,
    skippedStates,
    ignoreRobots,
    origin,
    verifiedHosts: await readActiveHosts(tx, project.id),
  });
  await writeAudit(tx, author, {
    projectId: project.id,
    action: 'scan.request',
    target: id,
    after: {
      urls,
      origin,
      ...(skippedStates.length > 0 && { skippedStates }),
      ...(ignoreRobots && { ignoreRobots }),
    },
  });
  return id;
}
