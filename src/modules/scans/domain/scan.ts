export const SCAN_STATUSES = ['queued', 'running', 'completed', 'partial', 'failed', 'canceled'] as const;
export type ScanStatus = (typeof SCAN_STATUSES)[number];

/** Who requested a scan: a member, or the project's schedule. */
export const SCAN_ORIGINS = ['manual', 'schedule'] as const;
export type ScanOrigin = (typeof SCAN_ORIGINS)[number];

export const PAGE_STATUSES = ['found', 'visiting', 'visited', 'failed', 'skipped'] as const;
export type PageStatus = (typeof PAGE_STATUSES)[number];

/** Why a scan ended without a complete result. */
export const SCAN_REASONS = [
  'pages_failed',
  'time_limit',
  'byte_limit',
  'unverified_host',
  'browser_failed',
  'scanner_error',
  'scanner_stopped',
  'robots_denied',
  'host_limit',
] as const;
export type ScanReason = (typeof SCAN_REASONS)[number];

/** Why a page failed, then why a page was skipped. */
export const PAGE_REASONS = [
  'http_error',
  'timeout',
  'not_html',
  'redirected_outside',
  'blocked_address',
  'unresolved',
  'connection_failed',
  'crashed',
  'memory_limit',
  'disk_limit',
  'too_large',
  'scanner_error',
  'scanner_stopped',
  'same_template',
  'page_limit',
  'duplicate',
  'unverified_host',
  'robots_denied',
  'robots_unavailable',
  'host_limit',
  'excluded_host',
  'time_limit',
  'byte_limit',
  'scan_ended',
] as const;
export type PageReason = (typeof PAGE_REASONS)[number];

export const ITEM_KINDS = [
  'cookie',
  'local_storage',
  'session_storage',
  'indexed_db',
  'request',
  'fingerprint',
  'consent_event',
] as const;
export type ItemKind = (typeof ITEM_KINDS)[number];

/** What items can be listed by. */
export const ITEM_GROUPS = ['cookie', 'storage', 'request', 'fingerprint', 'consent_event'] as const;
export type ItemGroup = (typeof ITEM_GROUPS)[number];

export function kindsIn(group: ItemGroup): ItemKind[] {
  return group === 'storage' ? ['local_storage', 'session_storage', 'indexed_db'] : [group];
}

/** Sentences of the API. The dashboard has its own, in its languages. */
export const SCAN_SENTENCES: Readonly<Record<ScanReason, string>> = {
  pages_failed: 'Some pages could not be loaded.',
  time_limit: 'The scan reached its time limit before all pages were visited.',
  byte_limit: 'The scan reached its limit of transferred data before all pages were visited.',
  unverified_host:
    'The loader of this project was not found on the site, so only one page per day and host is loaded, and nothing is clicked. Install the loader, then scan again.',
  browser_failed: 'Chromium could not be started or stopped repeatedly.',
  scanner_error: 'Three pages caused errors in the scanner, so it ended the scan.',
  scanner_stopped: 'The scanner stopped three times during this scan, so it does not try it again.',
  robots_denied: 'The robots.txt of the site does not let the scanner visit it, or could not be read.',
  host_limit: 'A host has had as many scans in 24 hours as it may, over all projects.',
};

export const PAGE_SENTENCES: Readonly<Record<PageReason, string>> = {
  http_error: 'The server returned an error.',
  timeout: 'The page did not finish loading in time.',
  not_html: 'The address does not lead to a web page.',
  redirected_outside: "The page redirects to a host that is not one of the project's domains.",
  blocked_address: 'The host does not resolve to a public address.',
  unresolved: 'The hostname could not be resolved.',
  connection_failed: 'The server could not be reached.',
  crashed: 'The browser tab crashed.',
  memory_limit: 'The page needed more memory than a scan allows.',
  disk_limit: 'The page stored more data than a scan allows.',
  too_large: 'The page transferred more data than a scan allows.',
  scanner_error: 'The page caused an error in the scanner.',
  scanner_stopped: 'The scanner stopped twice while it loaded this page.',
  same_template: 'Other pages with the same template were visited.',
  page_limit: "The plan's number of pages per scan was reached.",
  duplicate: 'The same page was visited under another address.',
  unverified_host: 'The loader of this project was not found on this host, which allows one page per day.',
  robots_denied: 'The robots.txt of the host does not let the scanner visit this page.',
  robots_unavailable: 'The server did not return its robots.txt but an error, so no page was visited.',
  host_limit: 'The host has had as many scans in 24 hours as it may, over all projects.',
  excluded_host: 'The operator of this service excluded the host from scans.',
  time_limit: 'The scan reached its time limit.',
  byte_limit: 'The scan reached its limit of transferred data.',
  scan_ended: 'The scan ended before this page was visited.',
};

/** How a scan that ran to its end is concluded. */
export function concludeScan({
  stoppedBy,
  isUnverified,
  pages,
}: {
  /** The limit that ended it; null: none. */
  stoppedBy: 'time_limit' | 'byte_limit' | null;
  /** Whether no loaded page was on a verified host. */
  isUnverified: boolean;
  pages: readonly { status: PageStatus; reason: PageReason | null; depth: number }[];
}): { status: 'completed' | 'partial'; reason: ScanReason | null } {
  const reason = stoppedBy ?? reasonOf(pages) ?? (isUnverified ? 'unverified_host' : null);
  return { status: reason === null ? 'completed' : 'partial', reason };
}

function reasonOf(
  pages: readonly { status: PageStatus; reason: PageReason | null; depth: number }[],
): ScanReason | null {
  if (pages.some(({ status }) => status === 'failed')) return 'pages_failed';
  if (pages.some(({ reason }) => reason === 'unverified_host')) return 'unverified_host';
  if (pages.some(({ reason }) => reason === 'host_limit')) return 'host_limit';
  // Links that robots.txt denies are not missing from the result; start addresses are.
  const start = pages.filter(({ depth }) => depth === 0);
  const isDenied = start.some(({ reason }) => reason === 'robots_denied' || reason === 'robots_unavailable');
  return isDenied ? 'robots_denied' : null;
}
