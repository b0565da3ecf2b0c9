import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../platform/identity/ids.js';
import { repeat } from '../../platform/time/repeat.js';
import {
  SCAN_LEASE_MS,
  SCAN_POLL_MS,
  SCANNER_ALIVE_MS,
  SCANNER_REPORT_MS,
} from '../../modules/scans/domain/scanner.js';
import { removeAbandonedProfiles } from '../browser/chromium.js';
import { claimScan, setAsideScans } from '../../modules/scans/infrastructure/frontier.rows.js';
import { reportScanner, withdrawScanner } from '../scanner.rows.js';
import { catchFaults } from './page-faults.js';
import { ScanRun } from './scan-run.js';
import type { ScannerOptions } from './scanner-options.js';

/** After a failure, e.g. of the database. */
const RETRY_PAUSE_MS = 2_000;

/**
 * Claims scans, oldest first, and visits their pages, one scan at a time. The rows are the queue: a scanner that is
 * killed leaves its scan to the next one once the lease has expired.
 */
export class Scanner {
  private readonly id = newId();
  private reportedMs = -Infinity;
  private current: ScanRun | null = null;

  constructor(
    private readonly em: EntityManager,
    private readonly options: ScannerOptions,
  ) {}

  /** Whether its last report reached the database, so that scans can be requested. */
  get isReady(): boolean {
    return performance.now() - this.reportedMs < SCANNER_ALIVE_MS;
  }

  /** Works until the signal; resolves once the scan in progress is handed back. */
  async run(signal: AbortSignal): Promise<void> {
    removeAbandonedProfiles();
    await this.report();
    const stopCatching = catchFaults((error) => {
      if (this.current) this.current.reportFault(error);
      else this.explain(error);
    });
    const stopReporting = repeat(SCANNER_REPORT_MS, () => this.report());
    try {
      while (!signal.aborted) {
        const worked = await this.step(signal).catch((error: unknown) => this.explain(error));
        if (!worked) await pause(worked === null ? RETRY_PAUSE_MS : SCAN_POLL_MS, signal);
      }
    } finally {
      await stopReporting();
      await withdrawScanner(this.em.fork(), this.id).catch(() => {});
      stopCatching();
    }
  }

  /** Works through one scan. False: there is none. */
  private async step(signal: AbortSignal): Promise<boolean> {
    const { version } = this.options.browser;
    for (const { projectId, id } of await setAsideScans(this.em.fork()))
      this.options.log(
        `scanner: scan ${id} of project ${projectId} is set aside: scanners stopped during it`,
      );
    const scan = await claimScan(this.em.fork(), {
      claimId: newId(),
      leaseMs: SCAN_LEASE_MS,
      browser: version,
      region: this.options.settings.region || null,
    });
    if (!scan) return false;
    const { metrics } = this.options;
    metrics.scanning(true);
    try {
      this.current = new ScanRun(this.em, scan, this.options);
      await this.current.run(signal);
    } finally {
      this.current = null;
      metrics.scanning(false);
    }
    return true;
  }

  private async report(): Promise<void> {
    const { version } = this.options.browser;
    await reportScanner(this.em.fork(), this.id, version).then(
      () => (this.reportedMs = performance.now()),
      (error: unknown) => this.explain(error),
    );
  }

  private explain(error: unknown): null {
    this.options.log(`scanner: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
