import type { SkipReason } from './delivery-outcome.js';

/** The saved settings that sending needs. */
export interface ForwardingTarget {
  enabled: boolean;
  /** null: the project has no endpoint. */
  endpointUrl: string | null;
  /** Whether the request's endpoint is used while the project has none. */
  allowCustomEndpoint: boolean;
}

export type Destination =
  | { kind: 'project'; url: string }
  /** The request-level endpoint: same policy, never a token (design §6.5). */
  | { kind: 'legacy'; url: string }
  | { kind: 'skip'; reason: SkipReason };

/**
 * Where a record is sent (spec §2.2, §6): to the project's endpoint while forwarding is on; to the request's
 * `custom_endpoint` only if the project has no endpoint, and either never saved settings or allowed it.
 * Nowhere if the tier does not allow forwarding (`tierRefusal`) or forwarding was saved as off.
 */
export function chooseDestination(known: {
  /** null: the project never saved settings. */
  target: ForwardingTarget | null;
  customEndpoint: string | null;
  tierRefusal: SkipReason | null;
  /** Whether the service allows request-level endpoints. */
  legacyAllowed: boolean;
}): Destination {
  const { target, customEndpoint, tierRefusal, legacyAllowed } = known;
  if (tierRefusal !== null) return { kind: 'skip', reason: tierRefusal };
  if (target !== null && !target.enabled) {
    const nowhere = target.endpointUrl === null && customEndpoint === null;
    return { kind: 'skip', reason: nowhere ? 'no_endpoint' : 'disabled' };
  }
  if (target !== null && target.endpointUrl !== null) return { kind: 'project', url: target.endpointUrl };
  const allowed = legacyAllowed && (target === null || target.allowCustomEndpoint);
  return customEndpoint !== null && allowed
    ? { kind: 'legacy', url: customEndpoint }
    : { kind: 'skip', reason: 'no_endpoint' };
}
