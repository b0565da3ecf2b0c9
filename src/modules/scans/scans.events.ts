import { namedKey } from '../../platform/outbox/domain/ordering-key.js';
import type { NewOutboxMessage } from '../../platform/outbox/domain/outbox-message.js';

/** A scan was completed, at least in part. The subject is the scan. */
export const SCAN_FINISHED = 'scan.finished';
/** Decisions changed what the items of the newest scan are classified as. The subject is the scan. */
export const SCAN_RECLASSIFIED = 'scan.reclassified';

export function scanReclassifiedMessage(scan: { projectId: string; id: string }): NewOutboxMessage {
  const { projectId, id } = scan;
  return { orderingKey: scanKey(projectId), projectId, topic: SCAN_RECLASSIFIED, subjectId: id };
}

/** One ordering key for each project, so that its scans are evaluated in order. */
export function scanKey(projectId: string): string {
  return namedKey(`scans:${projectId}`);
}
