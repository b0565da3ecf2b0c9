import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { serveScanner } from '../../src/programs/start-scanner.js';
import { ScannerMetrics } from '../../src/scanner/scanner.metrics.js';
import { freePort } from '../support/programs/free-port.js';

let close: () => void;
let baseUrl: string;
let isReady = true;
const metrics = new ScannerMetrics();

beforeAll(async () => {
  const port = await freePort();
  baseUrl = `http://127.0.0.1:${port}`;
  close = await serveScanner({
    port,
    host: '127.0.0.1',
    registry: metrics.registry,
    isReady: () => isReady,
  });
});
afterAll(() => close());

it('prints what the scanner did', async () => {
  metrics.scanning(true);
  metrics.browserStarted();
  metrics.browserFailed();
  metrics.visited({ reason: null, durationMs: 1_500 });
  metrics.visited({ reason: 'timeout', durationMs: 30_000 });
  metrics.visited(null);
  metrics.tested('reject', 'not_tested');
  const text = await (await fetch(`${baseUrl}/metrics`)).text();
  const lines = text.split('\n').filter((line) => /^scanner_(?!page_duration_seconds_bucket)/.test(line));
  expect(lines.toSorted()).toEqual([
    'scanner_browser_starts_total{outcome="failed"} 1',
    'scanner_browser_starts_total{outcome="started"} 1',
    'scanner_page_duration_seconds_count 2',
    'scanner_page_duration_seconds_sum 31.5',
    'scanner_pages_total{outcome="browser_failed"} 1',
    'scanner_pages_total{outcome="timeout"} 1',
    'scanner_pages_total{outcome="visited"} 1',
    'scanner_scan_running 1',
    'scanner_states_total{state="reject",status="not_tested"} 1',
  ]);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
});

it('is ready while its reports reach the database, and lives otherwise', async () => {
  const status = async (path: string): Promise<number> => (await fetch(`${baseUrl}${path}`)).status;
  expect(await Promise.all(['/health/ready', '/health/live', '/other'].map(status))).toEqual([200, 200, 404]);
  isReady = false;
  expect(await Promise.all(['/health/ready', '/health/live'].map(status))).toEqual([503, 200]);
});
