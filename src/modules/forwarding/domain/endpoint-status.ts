import type { EndpointStatus } from '../../projects/domain/project-status.js';

/** What decides a receiver's status. */
export interface EndpointFacts {
  /** Whether records are forwarded: switched on, and in the tier. */
  isOn: boolean;
  lastDeliveredAt: Date | null;
  lastFailedAt: Date | null;
  /** First of the consecutive failures because of the receiver; null: there are none. */
  failingSince: Date | null;
  /** null: the circuit is not open. */
  heldSince: Date | null;
}

/** The latest attempt decides, unless records are held. */
export function judgeEndpoint(facts: EndpointFacts): EndpointStatus {
  const { isOn, lastDeliveredAt, lastFailedAt, failingSince, heldSince } = facts;
  if (!isOn) return { state: 'off', since: null };
  if (heldSince) return { state: 'held', since: heldSince };
  if (lastFailedAt && (lastDeliveredAt === null || lastFailedAt > lastDeliveredAt))
    return { state: 'failing', since: failingSince ?? lastFailedAt };
  return { state: lastDeliveredAt === null ? 'unused' : 'healthy', since: null };
}
