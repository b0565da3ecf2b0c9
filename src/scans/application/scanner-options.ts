import type { ScanSettings } from '../scans.settings.js';
import type { ChromiumOptions } from '../infrastructure/chromium.js';

export interface ScannerOptions {
  settings: ScanSettings;
  production: boolean;
  browser: ChromiumOptions;
  /** Writes a line for the operator. */
  log: (line: string) => void;
}
