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
