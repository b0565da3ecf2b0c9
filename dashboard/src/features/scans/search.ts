export const SCAN_VIEWS = ['cookies', 'storage', 'requests', 'pages'] as const;
export type ScanView = (typeof SCAN_VIEWS)[number];

/** What the address of a scan says beside its id. */
export function scanSearch(search: Record<string, unknown>): { view?: ScanView } {
  const view = SCAN_VIEWS.find((known) => known === search['view']);
  return view && view !== 'cookies' ? { view } : {};
}
