import type { ScanSettings } from '../../modules/scans/scans.settings.js';
import type { ChromiumOptions } from '../browser/chromium.js';
import type { ScannerMetrics } from '../scanner.metrics.js';

export interface ScannerOptions {
  settings: ScanSettings;
  production: boolean;
  browser: ChromiumOptions;
  metrics: ScannerMetrics;
  /** Writes a line for the operator. */
  log: (line: string) => void;
}
