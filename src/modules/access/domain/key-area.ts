/**
 * What an API key can be limited to, below its role. `read` is every GET that the role may; each of the others is all
 * that the role may below its part of a project's paths. The ingest asks for no key, so there is no area for it.
 */
export const KEY_AREAS = ['read', 'consents', 'forwarding', 'publishing', 'billing'] as const;
export type KeyArea = (typeof KEY_AREAS)[number];

/** The first part of a path behind the project's id, by area. What is not named here is for keys without a limit. */
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

/** The area of a route of a project, as `/v1/projects/:projectId/forwarding/token`; null where it has none. */
export function areaOfRoute(route: string): KeyArea | null {
  const part = /^\/v1\/projects\/[^/]+\/([^/]+)/.exec(route)?.[1] ?? '';
  return AREA_OF_PART[part] ?? null;
}

/**
 * Whether a key's areas include a route of its project, independent of its role; `limitedTo` null:
 * there is no limit.
 */
export function isWithinAreas(
  limitedTo: readonly KeyArea[] | null,
  { method, route }: { method: string; route: string },
): boolean {
  if (limitedTo === null) return true;
  if ((method === 'GET' || method === 'HEAD') && limitedTo.includes('read')) return true;
  const area = areaOfRoute(route);
  return area !== null && limitedTo.includes(area);
}
