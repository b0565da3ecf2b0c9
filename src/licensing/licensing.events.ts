import { publishingLane } from '../outbox/domain/lane.js';
import type { NewOutboxMessage } from '../outbox/domain/outbox-message.js';

/** A project's cached tier changed. The subject is the project; the tier itself is read when it is needed. */
export const TIER_CHANGED = 'tier.changed';

export function tierChangedMessage(projectId: string): NewOutboxMessage {
  return { projectId: publishingLane(projectId), topic: TIER_CHANGED, subjectId: projectId };
}
