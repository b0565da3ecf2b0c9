import { setTimeout as sleep } from 'node:timers/promises';
import { PAGE_PAUSE_MS } from '../domain/scanner-times.js';
import type { SiteRules } from './site-rules.js';

/** Keeps the pages of a host apart: a second, or what its robots.txt asks for. */
export class SitePace {
  private readonly nextMs = new Map<string, number>();

  constructor(
    private readonly rules: SiteRules,
    private readonly options: { ignoreRobots: boolean; signal: AbortSignal },
  ) {}

  /** Waits until a page may be loaded, or until the scan ends. */
  async wait(url: string): Promise<void> {
    const { host } = new URL(url);
    const waitMs = (this.nextMs.get(host) ?? 0) - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: this.options.signal }).catch(() => {});
  }

  /** Notes that a page was loaded. */
  done(url: string): void {
    const { delayMs } = this.rules.knownRobots(url);
    const pauseMs = this.options.ignoreRobots ? PAGE_PAUSE_MS : Math.max(PAGE_PAUSE_MS, delayMs);
    this.nextMs.set(new URL(url).host, performance.now() + pauseMs);
  }
}
