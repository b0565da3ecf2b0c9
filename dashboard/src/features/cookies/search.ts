export const COOKIE_VIEWS = ['all', 'unclassified'] as const;
export type CookieView = (typeof COOKIE_VIEWS)[number];

/** Which cookies the address lists. */
export function cookieSearch(search: Record<string, unknown>): { view?: CookieView } {
  return search['view'] === 'unclassified' ? { view: 'unclassified' } : {};
}
