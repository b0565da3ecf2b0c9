/** Observations of a project's path proxy; null members: none yet. */
export interface ProxyObservations {
  /** Last request with a valid secret, with its host and path prefix. */
  provenAt: Date | null;
  host: string | null;
  prefix: string | null;
  /** Last request without a valid secret. */
  unprovenAt: Date | null;
}

/**
 * `not_seen`: no request through a proxy. `proven`: requests have a valid secret. `unproven`: the
 * latest ones do not, so visitors share the limits and the unknown region of one address.
 */
export const PROXY_STATES = ['not_seen', 'proven', 'unproven'] as const;
export type ProxyState = (typeof PROXY_STATES)[number];

/** Sightings are stored this often, so the order of two within this time is unknown. */
export const SIGHTING_EVERY_MS = 60_000;
/** Without traffic for this long, the state is unknown. */
export const SIGHTING_VALID_MS = 7 * 24 * 3_600_000;

export function resolveProxyState({ provenAt, unprovenAt }: ProxyObservations, now: Date): ProxyState {
  const age = (at: Date | null): number => (at ? now.getTime() - at.getTime() : Infinity);
  const [proven, unproven] = [age(provenAt), age(unprovenAt)];
  if (Math.min(proven, unproven) > SIGHTING_VALID_MS) return 'not_seen';
  // Both kinds of requests: a part of the traffic lacks the secret, which needs a fix.
  return unproven <= proven + SIGHTING_EVERY_MS ? 'unproven' : 'proven';
}
