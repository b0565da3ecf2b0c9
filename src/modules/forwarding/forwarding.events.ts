import { namedKey } from '../../platform/outbox/domain/ordering-key.js';
import type { NewOutboxMessage } from '../../platform/outbox/domain/outbox-message.js';
import type { HoldNews } from '../../platform/delivery/domain/hold.js';

/** A hold of the project began or ended, so owners may need to be notified. The subject is the project. */
export const FORWARDING_HOLD = 'forwarding.hold';

export function holdNewsMessage(projectId: string, { kind, heldSince }: HoldNews): NewOutboxMessage {
  return {
    orderingKey: namedKey(`hold:${projectId}`),
    projectId,
    topic: FORWARDING_HOLD,
    subjectId: projectId,
    payload: { kind, heldSince: heldSince.toISOString() },
  };
}
