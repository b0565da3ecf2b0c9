/**
 * Areas that an API key can be limited to, below its role. `read` is every GET that the role
 * allows; each of the others is everything that the role allows below its part of a project's
 * paths. The ingest requires no key, so it has no area.
 */
export const KEY_AREAS = ['read', 'consents', 'forwarding', 'publishing', 'billing'] as const;
export type KeyArea = (typeof KEY_AREAS)[number];

/**
 * The first part of a path after the project's id, by area. Paths without an area require a key
 * without a limit.
 */
const AREA_OF_PART: Partial<Record<string, KeyArea>> = {
  consents: 'consents',
  analytics: 'consents',
  erasures: 'consents',
  privacy: 'consents',
  'visitor-records': 'consents',
  forwarding: 'forwarding',
  configuration: 'publishing',
  publish: 'publishing',
  publications: 'publishing',
  'first-party': 'publishing',
  tier: 'billing',
  subscription: 'billing',
  billing: 'billing',
};

/**
 * The area of a project's route, such as `/v1/projects/:projectId/forwarding/token`; null: none.
 */
export function areaOfRoute(route: string): KeyArea | null {
  const part = /^\/v1\/projects\/[^/]+\/([^/]+)/.exec(route)?.[1] ?? '';
  return AREA_OF_PART[part] ?? null;
}

/**
 * Whether a key's areas include a route, independent of its role; `limitedTo` null: no limit.
 * `/v1/me` describes only the key itself.
 */
export function isWithinAreas(
  limitedTo: readonly KeyArea[] | null,
  { method, route }: { method: string; route: string },
): boolean {
  if (limitedTo === null || route === '/v1/me') return true;
  if ((method === 'GET' || method === 'HEAD') && limitedTo.includes('read')) return true;
  const area = areaOfRoute(route);
  return area !== null && limitedTo.includes(area);
}
