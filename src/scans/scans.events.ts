import { namedKey } from '../outbox/domain/ordering-key.js';
import type { NewOutboxMessage } from '../outbox/domain/outbox-message.js';

/** A scan was completed, at least in part. The subject is the scan. */
export const SCAN_FINISHED = 'scan.finished';
/** Decisions changed what the items of the newest scan are classified as. The subject is the scan. */
export const SCAN_RECLASSIFIED = 'scan.reclassified';

export function scanFinishedMessage(scan: { projectId: string; id: string }): NewOutboxMessage {
  return messageAbout(SCAN_FINISHED, scan);
}

export function scanReclassifiedMessage(scan: { projectId: string; id: string }): NewOutboxMessage {
  return messageAbout(SCAN_RECLASSIFIED, scan);
}

/** One key for each project, so that its scans are evaluated in order. */
function messageAbout(topic: string, { projectId, id }: { projectId: string; id: string }): NewOutboxMessage {
  return { orderingKey: namedKey(`scans:${projectId}`), projectId, topic, subjectId: id };
}
