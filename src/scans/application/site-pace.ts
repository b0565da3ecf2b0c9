import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityManager } from '@mikro-orm/postgresql';
import { reservePage } from '../infrastructure/host.rows.js';
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
    private readonly rules: SiteRules,
    private readonly options: SitePaceOptions,
  ) {}

  /** Waits until a page may be loaded, or until the scan ends. */
  async wait(url: string): Promise<void> {
    const { pagesPerMinute, ignoreRobots, signal } = this.options;
    const delayMs = ignoreRobots ? 0 : this.rules.knownRobots(url).delayMs;
    const gapMs = Math.max(MINUTE_MS / pagesPerMinute, delayMs);
    const waitMs = await reservePage(this.em.fork(), new URL(url).host, gapMs);
    if (waitMs > 0) await sleep(waitMs, undefined, { signal }).catch(() => {});
  }
}
