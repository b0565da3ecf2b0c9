import { siteOrderingKey } from '../licensing/licensing.events.js';
import type { NewOutboxMessage } from '../../platform/outbox/domain/outbox-message.js';

/** A project's published content changed, or must be published again. The subject is the project. */
export const CONFIGURATION_CHANGED = 'configuration.changed';

/** `recheck`: publish again after a while, because the result of an earlier write is unknown. */
export function configurationChangedMessage(projectId: string, recheck = false): NewOutboxMessage {
  return {
    orderingKey: siteOrderingKey(projectId),
    projectId,
    topic: CONFIGURATION_CHANGED,
    subjectId: projectId,
    ...(recheck && { payload: { recheck } }),
  };
}
