import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { EntityManager } from '@mikro-orm/postgresql';
import { findChromium, readVersion } from '../scanner/browser/chromium.js';
import {
  hasOpenScans,
  isOtherScannerAlive,
  reportScanner,
  withdrawScanner,
} from '../scanner/scanner.rows.js';
import { SCAN_POLL_MS, SCANNER_ALIVE_MS, SCANNER_REPORT_MS } from '../modules/scans/domain/scanner.js';
import { newId } from '../platform/identity/ids.js';
import { type BackOff, backOffMs } from '../platform/time/back-off.js';
import type { ScannerSettings, Settings } from './settings.js';
import type { Stops } from './until-signal.js';
import { SCANNER, WorkerProcess } from './worker-process.js';

/** The child's settings; its database URL is that of the scanner's role. */
type OnDemandSettings = Pick<Settings, 'scans' | 'service'> & { scannerDatabaseUrl: string };

/** How long the scanner stays after its last scan. */
const IDLE_MS = 60_000;

/** A Chromium that was too slow once is tried again. */
const RETRY: BackOff = { baseMs: 5_000, factor: 2, longestMs: 300_000 };

/**
 * In standalone mode with a Chromium: starts the scanner as a child process, without keys, when
 * there is a scan, and stops it after a minute without one, because it takes 140 MB. Reports a
 * scanner in between and while the child starts, the first time before this resolves, so that scans
 * can be requested. Returns a function that starts the work.
 */
export async function offerScans(
  app: NestExpressApplication,
  settings: OnDemandSettings,
  stops: Stops,
): Promise<() => void> {
  const path = findChromium(settings.scans.chromium);
  if (path === null) return () => {};
  const onDemand = new ScannerOnDemand(app.get(EntityManager), settings, path);
  // Reported again a moment later.
  await onDemand.report().catch(() => {});
  return () => {
    const stopping = new AbortController();
    const running = onDemand.run(stopping.signal);
    stops.push(async () => {
      stopping.abort();
      await running;
    });
  };
}

class ScannerOnDemand {
  private readonly id = newId();
  private scanner: WorkerProcess<ScannerSettings> | null = null;
  private lastScanMs = 0;
  private reportedMs = -Infinity;
  private version = '';
  private isReadingVersion = false;
  private failures = 0;
  private retryAtMs = 0;

  constructor(
    private readonly em: EntityManager,
    private readonly settings: OnDemandSettings,
    private readonly chromium: string,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // The embedded database may be restarting.
      if (performance.now() >= this.retryAtMs) await this.step().catch(() => {});
      await sleep(SCAN_POLL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    await this.scanner?.stop();
    await withdrawScanner(this.em.fork(), this.id).catch(() => {});
  }

  private async step(): Promise<void> {
    const em = this.em.fork();
    if (this.version === '' && !this.isReadingVersion) void this.learnVersion();
    if (await hasOpenScans(em)) {
      this.lastScanMs = performance.now();
      this.scanner ??= this.start();
    } else if (this.scanner && performance.now() - this.lastScanMs > IDLE_MS) {
      const idle = this.scanner;
      this.scanner = null;
      await idle.stop();
    }
    if (this.scanner?.isRunning) this.failures = 0;
    if (performance.now() - this.reportedMs < SCANNER_REPORT_MS) return;
    // After a failure, not before it is known to run.
    if (this.failures === 0 || this.version !== '') await this.report();
  }

  /** Takes seconds on a busy machine, in which scans can be requested. */
  private async learnVersion(): Promise<void> {
    this.isReadingVersion = true;
    try {
      this.version = await readVersion(this.chromium);
    } catch {
      await this.pause(`${this.chromium} --version failed.`);
    } finally {
      this.isReadingVersion = false;
    }
  }

  async report(): Promise<void> {
    const em = this.em.fork();
    // A running scanner reports itself, once it has started.
    const isRunning = this.scanner !== null && (await isOtherScannerAlive(em, this.id, SCANNER_ALIVE_MS));
    await (isRunning ? withdrawScanner(em, this.id) : reportScanner(em, this.id, this.version));
    this.reportedMs = performance.now();
  }

  private start(): WorkerProcess<ScannerSettings> {
    const { scannerDatabaseUrl: databaseUrl, scans, service } = this.settings;
    // The API has connected already.
    const database = { databaseUrl, databaseOwnerUrl: databaseUrl, startWaitSeconds: 0 };
    return new WorkerProcess<ScannerSettings>(SCANNER, { database, scans, service }, () => {
      this.scanner = null;
      void this.pause('The scanner process could not start.');
    });
  }

  /** No scans can be requested until the next try. */
  private async pause(reason: string): Promise<void> {
    this.failures += 1;
    const waitMs = backOffMs(this.failures, RETRY);
    this.retryAtMs = performance.now() + waitMs;
    this.reportedMs = -Infinity;
    process.stderr.write(`${reason} Scans are not available; trying again in ${waitMs / 1000} s.\n`);
    await withdrawScanner(this.em.fork(), this.id).catch(() => {});
  }
}
