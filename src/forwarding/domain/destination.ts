import type { SkipReason } from './outcome.js';

/** What the owner has set, as far as sending needs it. */
export interface ForwardingTarget {
  enabled: boolean;
  /** null: the project has no endpoint of its own. */
  endpointUrl: string | null;
}

export type Destination =
  | { kind: 'project'; url: string }
  /** The request-level endpoint: same policy, never a token (design §6.5). */
  | { kind: 'legacy'; url: string }
  | { kind: 'skip'; reason: SkipReason };

/**
 * Where a record goes (spec §2.2, §6): to the project's endpoint while forwarding is on; to the request's
 * `custom_endpoint` only where the project has none; nowhere where the tier does not allow forwarding.
 */
export function chooseDestination(known: {
  target: ForwardingTarget | null;
  customEndpoint: string | null;
  tierAllows: boolean;
  legacyAllowed: boolean;
}): Destination {
  const { target, customEndpoint, tierAllows, legacyAllowed } = known;
  if (!tierAllows) return { kind: 'skip', reason: 'tier' };
  if (target !== null && target.endpointUrl !== null) {
    return target.enabled
      ? { kind: 'project', url: target.endpointUrl }
      : { kind: 'skip', reason: 'disabled' };
  }
  return customEndpoint !== null && legacyAllowed
    ? { kind: 'legacy', url: customEndpoint }
    : { kind: 'skip', reason: 'no_endpoint' };
}
