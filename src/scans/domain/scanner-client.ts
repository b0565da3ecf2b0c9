import { BRAND } from '../../shared/brand.js';

const SCANNER_VERSION = '1.0';

/** How the scanner's browser appears to sites; reports name it, because banners differ by it. */
export const SCAN_VIEWPORT = { width: 1280, height: 800 } as const;
export const SCAN_LOCALE = 'en-US';

/** Sites can recognize the scanner by the name at the end. `version` is as `chromium --version` prints it. */
export function scannerUserAgent(version: string): string {
  const [number = '0'] = /\d+(\.\d+)+/.exec(version) ?? [];
  const major = number.split('.')[0] ?? '0';
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 Safari/537.36 ${BRAND}-Scanner/${SCANNER_VERSION}`;
}
