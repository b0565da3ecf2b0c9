import { namedKey } from '../outbox/domain/ordering-key.js';
import type { NewOutboxMessage } from '../outbox/domain/outbox-message.js';

/** A project's cached tier changed. The subject is the project; the tier itself is read when it is needed. */
export const TIER_CHANGED = 'tier.changed';

export function tierChangedMessage(projectId: string): NewOutboxMessage {
  return { orderingKey: siteOrderingKey(projectId), projectId, topic: TIER_CHANGED, subjectId: projectId };
}

/**
 * The place in the outbox of what a project publishes, beside that of its consent records: among them, a new tier would
 * wait behind a million records for a receiver that hangs, and a storage that hangs would slow the forwarding down.
 */
export function siteOrderingKey(projectId: string): string {
  return namedKey(`publishing:${projectId}`);
}
