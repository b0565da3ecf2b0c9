import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { pauseAfterPage, takePage } from '../../modules/scans/infrastructure/host.rows.js';
import type { SiteRules } from './site-rules.js';

const MINUTE_MS = 60_000;

interface SitePaceOptions {
  /** Of one host, over all scanners and projects. */
  pagesPerMinute: number;
  ignoreRobots: boolean;
  /** Ends waiting, because the scan ends. */
  signal: AbortSignal;
}

/** Keeps the pages of a host apart, over all scanners: by the operator's limit, and by its robots.txt. */
export class SitePace {
  constructor(
    private readonly em: EntityManager,
    private readonly rules: Pick<SiteRules, 'knownRobots'>,
    private readonly options: SitePaceOptions,
  ) {}

  /** Waits until a page may be requested, which the caller then does at once, or until the scan ends. */
  async wait(url: string): Promise<void> {
    const { signal } = this.options;
    while (!signal.aborted) {
      const waitMs = await takePage(this.em.fork(), new URL(url).host, this.pauseMs(url));
      if (waitMs === 0) return;
      await sleep(waitMs, undefined, { signal }).catch(() => {});
    }
  }

  /**
   * Begins the pause again from when a page was answered, or else from now: the browser may have taken its time to send
   * the request, and redirects may have led to other sites. `answered`: of the visit so far, by origin.
   */
  async countVisit(url: string, answered: ReadonlyMap<string, number>): Promise<void> {
    for (const origin of new Set([new URL(url).origin, ...answered.keys()])) {
      const nowMs = performance.now();
      const agoMs = nowMs - (answered.get(origin) ?? nowMs);
      const pauseMs = this.pauseMs(origin) - agoMs;
      if (pauseMs > 0) await pauseAfterPage(this.em.fork(), new URL(origin).host, pauseMs);
    }
  }

  private pauseMs(url: string): number {
    const { pagesPerMinute, ignoreRobots } = this.options;
    const delayMs = ignoreRobots ? 0 : this.rules.knownRobots(url).delayMs;
    return Math.max(MINUTE_MS / pagesPerMinute, delayMs);
  }
}
