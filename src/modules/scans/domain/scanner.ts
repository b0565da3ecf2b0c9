import { BRAND } from '../../../platform/identity/brand.js';

/** By this name sites recognize the scanner, in requests and in robots.txt. */
export const SCANNER_NAME = `${BRAND}-Scanner`;
const SCANNER_VERSION = '1.0';

/** How the scanner's browser appears to sites; reports name it, because banners differ by it. */
export const SCAN_VIEWPORT = { width: 1280, height: 800 } as const;
export const SCAN_LOCALE = 'en-US';

/** The scanner's `User-Agent`. `version` is the output of `chromium --version`; `contact` may be empty. */
export function scannerUserAgent({ version, contact }: { version: string; contact: string }): string {
  const [number = '0'] = /\d+(\.\d+)+/.exec(version) ?? [];
  const major = number.split('.')[0] ?? '0';
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 ${SCANNER_NAME}/${SCANNER_VERSION}${contact && ` (+${contact})`}`;
}

/** How often a scanner reports that it is running. */
export const SCANNER_REPORT_MS = 3_000;
/** A scanner that has not reported for this long has stopped. */
export const SCANNER_ALIVE_MS = 15_000;
/** How long a scanner holds a scan without renewing its lease. */
export const SCAN_LEASE_MS = 15_000;
/** Poll interval of an idle scanner. */
export const SCAN_POLL_MS = 1_000;
