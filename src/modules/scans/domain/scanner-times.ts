/** How often a scanner reports that it is running. */
export const SCANNER_REPORT_MS = 3_000;
/** A scanner that has not reported for this long has stopped. */
export const SCANNER_ALIVE_MS = 15_000;
/** How long a scanner holds a scan without renewing its lease. */
export const SCAN_LEASE_MS = 15_000;
/** Poll interval of an idle scanner. */
export const SCAN_POLL_MS = 1_000;
