import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { PageReason } from '../modules/scans/domain/scan.js';
import type { ScanState } from '../modules/scans/domain/scan-state.js';

/** Metrics of a scanner process: its own work. The API and workers count waiting scans. */
export class ScannerMetrics {
  readonly registry = new Registry();
  private readonly running: Gauge;
  private readonly pages: Counter<'outcome'>;
  private readonly durations: Histogram;
  private readonly states: Counter<'state' | 'status'>;
  private readonly starts: Counter<'outcome'>;

  constructor() {
    const registers = [this.registry];
    this.running = new Gauge({
      name: 'scanner_scan_running',
      help: 'Whether this scanner works on a scan: 1, otherwise 0.',
      registers,
    });
    this.pages = new Counter({
      name: 'scanner_pages_total',
      help: 'Visits of pages by outcome: visited, the reason of the failure, or browser_failed.',
      labelNames: ['outcome'],
      registers,
    });
    this.durations = new Histogram({
      name: 'scanner_page_duration_seconds',
      help: 'Time from the start of a visit to its result, in seconds.',
      buckets: [0.5, 1, 2, 5, 10, 20, 30, 60],
      registers,
    });
    this.states = new Counter({
      name: 'scanner_states_total',
      help: 'Consent states that were tested or not, by state and status.',
      labelNames: ['state', 'status'],
      registers,
    });
    this.starts = new Counter({
      name: 'scanner_browser_starts_total',
      help: 'Starts of Chromium by outcome: started or failed.',
      labelNames: ['outcome'],
      registers,
    });
  }

  scanning(isRunning: boolean): void {
    this.running.set(isRunning ? 1 : 0);
  }

  /** null: the browser failed during the visit. */
  visited(result: { reason: PageReason | null; durationMs: number } | null): void {
    this.pages.inc({ outcome: result === null ? 'browser_failed' : (result.reason ?? 'visited') });
    if (result) this.durations.observe(result.durationMs / 1000);
  }

  tested(state: ScanState, status: 'tested' | 'not_tested'): void {
    this.states.inc({ state, status });
  }

  browserStarted(): void {
    this.starts.inc({ outcome: 'started' });
  }

  browserFailed(): void {
    this.starts.inc({ outcome: 'failed' });
  }
}
