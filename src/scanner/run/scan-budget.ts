import type { EntityManager } from '@mikro-orm/postgresql';
import { TURN_MS } from '../../modules/scans/domain/scan-limits.js';
import { isOtherAccountWaiting } from '../../modules/scans/infrastructure/account.rows.js';
import type { ClaimedScan, ScanWork } from '../../modules/scans/infrastructure/frontier.rows.js';
import type { GuardedProxy } from '../browser/guarded-proxy.js';
import type { ScanSettings } from '../../modules/scans/scans.settings.js';

const MEGABYTE = 1_000_000;

interface ScanBudgetOptions {
  em: EntityManager;
  scan: ClaimedScan;
  settings: ScanSettings;
  proxy: GuardedProxy;
}

/** The limits of a scan, over all scanners that worked on it, and the turn of its account. */
export class ScanBudget {
  private readonly beganMs = performance.now();

  constructor(private readonly options: ScanBudgetOptions) {}

  get work(): ScanWork {
    const { scan, proxy } = this.options;
    return {
      workedMs: scan.workedMs + this.turnMs,
      receivedBytes: scan.receivedBytes + proxy.bytes,
    };
  }

  /** Which limit is reached. The crawl leaves the scan's time to the states. */
  limitReached(part: 'crawl' | 'states'): 'time_limit' | 'byte_limit' | null {
    const { scanMinutes, stateMinutes, scanMegabytes } = this.options.settings;
    const minutes = part === 'crawl' ? Math.min(stateMinutes, scanMinutes) : scanMinutes;
    const { workedMs, receivedBytes } = this.work;
    if (workedMs > minutes * 60_000) return 'time_limit';
    return receivedBytes > scanMegabytes * MEGABYTE ? 'byte_limit' : null;
  }

  /** Whether the scan was worked on for its turn, and another account waits. */
  async isTurnOver(): Promise<boolean> {
    const { em, scan } = this.options;
    return this.turnMs > TURN_MS && (await isOtherAccountWaiting(em.fork(), scan.accountId));
  }

  private get turnMs(): number {
    return performance.now() - this.beganMs;
  }
}
