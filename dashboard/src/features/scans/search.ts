export const SCAN_VIEWS = ['findings', 'cookies', 'storage', 'requests', 'pages', 'changes'] as const;
export type ScanView = (typeof SCAN_VIEWS)[number];

/** What the address of a scan says beside its id. */
export function scanSearch(search: Record<string, unknown>): { view?: ScanView } {
  const view = SCAN_VIEWS.find((known) => known === search['view']);
  return view && view !== 'findings' ? { view } : {};
}
