/** Whether records arrive at a project's endpoint. */
export interface EndpointStatus {
  /** `off`: forwarding is off or not in the tier; `unused`: nothing was sent yet. */
  state: 'off' | 'unused' | 'healthy' | 'failing' | 'held';
  /** Since when it fails or is held; null otherwise. */
  since: Date | null;
}

/** Input of a receiver's status. */
export interface EndpointFacts {
  /** Whether records are forwarded: switched on, and allowed by the tier. */
  isOn: boolean;
  lastDeliveredAt: Date | null;
  lastFailedAt: Date | null;
  /** First of the consecutive failures caused by the receiver; null: there are none. */
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
