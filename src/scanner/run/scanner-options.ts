import type { ScanSettings } from '../scans.settings.js';
import type { ChromiumOptions } from '../infrastructure/chromium.js';
import type { ScannerMetrics } from '../infrastructure/scanner.metrics.js';

export interface ScannerOptions {
  settings: ScanSettings;
  production: boolean;
  browser: ChromiumOptions;
  metrics: ScannerMetrics;
  /** Writes a line for the operator. */
  log: (line: string) => void;
}
