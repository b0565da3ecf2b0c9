import type { EntityManager } from '@mikro-orm/postgresql';
import { writeAudit } from '../../audit/audit.log.js';
import type { Author } from '../../audit/domain/author.js';
import { readActiveHosts } from '../../domains/active-hosts.js';
import { deleteEntries } from '../../evidence/log-entries.js';
import { newId } from '../../shared/ids.js';
import type { ScanOrigin } from '../domain/scan.js';
import type { ScanState } from '../domain/scan-state.js';
import { SCANS_KEPT_MAX } from '../domain/scan-limits.js';
import { deleteOldScans, insertScan } from '../infrastructure/scan.rows.js';

/** A scan that may run: whoever requests it has checked the rules under the project's lock. */
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

/** Queues a scan, deletes the oldest one where too many are kept, and records the request. Returns the scan's id. */
export async function queueScan(tx: EntityManager, request: ScanRequest): Promise<string> {
  const { project, author, urls, pagesMax, skippedStates, ignoreRobots, origin } = request;
  const id = newId();
  const deleted = await deleteOldScans(tx, project.id, SCANS_KEPT_MAX - 1);
  await deleteEntries(tx, { projectId: project.id, ids: deleted });
  await insertScan(tx, {
    ...{ projectId: project.id, id, urls, domains: project.domains, pagesMax },
    ...{ skippedStates, ignoreRobots, origin, verifiedHosts: await readActiveHosts(tx, project.id) },
  });
  await writeAudit(tx, author, {
    ...{ projectId: project.id, action: 'scan.request', target: id },
    after: {
      ...{ urls, origin },
      ...(skippedStates.length > 0 && { skippedStates }),
      ...(ignoreRobots && { ignoreRobots }),
    },
  });
  return id;
}
