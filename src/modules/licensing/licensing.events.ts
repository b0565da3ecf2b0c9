import { namedKey } from '../../platform/outbox/domain/ordering-key.js';
import type { NewOutboxMessage } from '../../platform/outbox/domain/outbox-message.js';

/** A project's cached tier changed. The subject is the project; the handler reads the current tier. */
export const TIER_CHANGED = 'tier.changed';

export function tierChangedMessage(projectId: string): NewOutboxMessage {
  return { orderingKey: siteOrderingKey(projectId), projectId, topic: TIER_CHANGED, subjectId: projectId };
}

/**
 * The ordering key of a project's publications, separate from its consent records: a new tier must
 * not wait behind a million records for a hanging receiver, and a hanging storage must not slow
 * down forwarding.
 */
export function siteOrderingKey(projectId: string): string {
  return namedKey(`publishing:${projectId}`);
}
