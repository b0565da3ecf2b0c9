export const SCAN_VIEWS = ['findings', 'cookies', 'storage', 'requests', 'pages', 'changes'] as const;
export type ScanView = (typeof SCAN_VIEWS)[number];

/** The search parameters of a scan's address. */
export function scanSearch(search: Record<string, unknown>): { view?: ScanView } {
  const view = SCAN_VIEWS.find((known) => known === search['view']);
  return view && view !== 'findings' ? { view } : {};
}

/** The worst result of a scan, by its tone. */
export const SCAN_RESULTS = ['bad', 'warn', 'ask', 'good', 'none'] as const;
export const SCAN_ORIGINS = ['manual', 'schedule'] as const;

/** The search parameters of the list of scans. */
export interface ScanFilters {
  /** Part of an address that a scan began with. */
  q?: string;
  result?: (typeof SCAN_RESULTS)[number];
  origin?: (typeof SCAN_ORIGINS)[number];
}

/** Parses the filters of an address; ignores invalid ones. */
export function scanFilters({ q, result, origin }: Record<string, unknown>): ScanFilters {
  const knownResult = SCAN_RESULTS.find((known) => known === result);
  const knownOrigin = SCAN_ORIGINS.find((known) => known === origin);
  return {
    ...(typeof q === 'string' && q !== '' && { q }),
    ...(knownResult && { result: knownResult }),
    ...(knownOrigin && { origin: knownOrigin }),
  };
}
