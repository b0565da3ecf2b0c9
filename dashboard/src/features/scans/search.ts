export const SCAN_VIEWS = ['findings', 'cookies', 'storage', 'requests', 'pages', 'changes'] as const;
export type ScanView = (typeof SCAN_VIEWS)[number];

/** The search parameters of a scan's address. */
export function scanSearch(search: Record<string, unknown>): { view?: ScanView } {
  const view = SCAN_VIEWS.find((known) => known === search['view']);
  return view && view !== 'findings' ? { view } : {};
}
