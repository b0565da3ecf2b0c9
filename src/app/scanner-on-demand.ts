import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { EntityManager } from '@mikro-orm/postgresql';
import { findChromium, readVersion } from '../scans/infrastructure/chromium.js';
import { hasOpenScans, reportScanner, withdrawScanner } from '../scans/infrastructure/scanner.rows.js';
import { SCAN_POLL_MS, SCANNER_REPORT_MS } from '../scans/domain/scanner-times.js';
import { newId } from '../shared/ids.js';
import type { ScannerSettings, Settings } from './settings.js';
import type { Stops } from './until-signal.js';
import { SCANNER, WorkerProcess } from './worker-process.js';

/** The child's settings; its database URL is that of the scanner's role. */
type OnDemandSettings = Pick<Settings, 'scans' | 'service'> & { scannerDatabaseUrl: string };

/** How long the scanner stays after its last scan. */
const IDLE_MS = 60_000;

/**
 * In standalone mode with a Chromium: starts the scanner as a child process, which gets no keys, when there is a scan,
 * and stops it after a minute without one, because it takes 140 MB. Reports a scanner in between, so that scans can
 * be requested.
 */
export function offerScans(app: NestExpressApplication, settings: OnDemandSettings, stops: Stops): void {
  const path = findChromium(settings.scans.chromium);
  if (path === null) return;
  const onDemand = new ScannerOnDemand(app.get(EntityManager), settings, path);
  const stopping = new AbortController();
  const running = onDemand.run(stopping.signal);
  stops.push(async () => {
    stopping.abort();
    await running;
  });
}

class ScannerOnDemand {
  private readonly id = newId();
  private scanner: WorkerProcess<ScannerSettings> | null = null;
  private lastScanMs = 0;
  private reportedMs = -Infinity;
  private version = '';
  private isUsable = true;

  constructor(
    private readonly em: EntityManager,
    private readonly settings: OnDemandSettings,
    private readonly chromium: string,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    this.version = await readVersion(this.chromium).catch(() => '');
    if (this.version === '') {
      if (!signal.aborted) this.giveUp(`${this.chromium} could not be run.`);
      return;
    }
    while (this.isUsable && !signal.aborted) {
      // The embedded database may be restarting.
      await this.step().catch(() => {});
      await sleep(SCAN_POLL_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    await this.scanner?.stop();
    await withdrawScanner(this.em.fork(), this.id).catch(() => {});
  }

  private async step(): Promise<void> {
    const em = this.em.fork();
    if (await hasOpenScans(em)) {
      this.lastScanMs = performance.now();
      this.scanner ??= this.start();
    } else if (this.scanner && performance.now() - this.lastScanMs > IDLE_MS) {
      const idle = this.scanner;
      this.scanner = null;
      await idle.stop();
    }
    // A running scanner reports itself.
    if (this.scanner || performance.now() - this.reportedMs < SCANNER_REPORT_MS) return;
    await reportScanner(em, this.id, this.version);
    this.reportedMs = performance.now();
  }

  private start(): WorkerProcess<ScannerSettings> {
    const { scannerDatabaseUrl, scans, service } = this.settings;
    const database = { databaseUrl: scannerDatabaseUrl, databaseOwnerUrl: scannerDatabaseUrl };
    return new WorkerProcess<ScannerSettings>(SCANNER, { database, scans, service }, () =>
      this.giveUp('The scanner process could not start.'),
    );
  }

  private giveUp(reason: string): void {
    this.isUsable = false;
    process.stderr.write(`${reason} Scans are not available until the service is restarted.\n`);
  }
}
