/** What the service has seen of a project's path proxy; null members: nothing yet. */
export interface ProxySightings {
  /** Last request with a valid secret, and the host and path prefix that it named. */
  provenAt: Date | null;
  host: string | null;
  prefix: string | null;
  /** Last request without one. */
  unprovenAt: Date | null;
}

/**
 * `not_seen`: no request came through a proxy. `proven`: requests carry a valid secret. `unproven`: the latest ones do
 * not, so visitors share the limits and the unknown region of one address.
 */
export const PROXY_STATES = ['not_seen', 'proven', 'unproven'] as const;
export type ProxyState = (typeof PROXY_STATES)[number];

/** Sightings are stored this often, so two of them this close together have no order. */
export const SIGHTING_EVERY_MS = 60_000;
/** Without traffic for so long, the state is no longer known. */
export const SIGHTING_VALID_MS = 7 * 24 * 3_600_000;

export function resolveProxyState({ provenAt, unprovenAt }: ProxySightings, now: Date): ProxyState {
  const age = (at: Date | null): number => (at ? now.getTime() - at.getTime() : Infinity);
  const [proven, unproven] = [age(provenAt), age(unprovenAt)];
  if (Math.min(proven, unproven) > SIGHTING_VALID_MS) return 'not_seen';
  // Requests of both kinds: part of the traffic is without the secret, which has to be fixed.
  return unproven <= proven + SIGHTING_EVERY_MS ? 'unproven' : 'proven';
}
