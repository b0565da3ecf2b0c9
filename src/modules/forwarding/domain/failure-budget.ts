import { LRUCache } from 'lru-cache';
import { PacedRateLimiter } from './paced-rate-limiter.js';

/** The project and the host of an attempt. */
export interface Endpoint {
  projectId: string;
  hostname: string;
}

export interface FailureBudgetOptions {
  /** Failed attempts on one key over all projects: a burst, then a rate per second. */
  burst: number;
  perSecond: number;
  /** Attempts on one key that each project may make although the key is exhausted. */
  reserve: number;
  reservePerSecond: number;
  /** Consecutive failures after which a proven endpoint counts like one that never delivered. */
  provenFailuresMax: number;
  /** Longest wait of a project without failures on the key. */
  newcomerWaitMs: number;
  keysMax: number;
}

/**
 * Limits failed attempts by key, which many projects may share: a domain or an address. An attempt
 * counts until it has delivered. An endpoint that delivered under a key is exempt from the failures
 * of others, and each project has a few reserved attempts, so that a working endpoint is detected
 * among failing ones. Times are of a monotonic clock.
 */
export class FailureBudget {
  private readonly attempts: PacedRateLimiter;
  private readonly reserves: PacedRateLimiter;
  /** Consecutive failures of endpoints that delivered under a key. */
  private readonly proven: LRUCache<string, number>;
  /** Projects by key whose last attempt there failed. */
  private readonly failed: LRUCache<string, true>;

  constructor(private readonly options: FailureBudgetOptions) {
    const { burst, perSecond, reserve, reservePerSecond, keysMax } = options;
    this.attempts = new PacedRateLimiter({ burst, perSecond, keysMax });
    this.reserves = new PacedRateLimiter({ burst: reserve, perSecond: reservePerSecond, keysMax });
    this.proven = new LRUCache({ max: keysMax });
    this.failed = new LRUCache({ max: keysMax });
  }

  /** Milliseconds to snooze an attempt; 0: it may be made, and `charge` counts it. */
  waitMs(endpoint: Endpoint, key: string, nowMs: number): number {
    if (!this.attempts.isExhausted(key, nowMs) || this.isProven(endpoint, key)) return 0;
    const project = projectKey(endpoint, key);
    if (!this.reserves.isExhausted(project, nowMs)) return 0;
    const queueMs = this.attempts.consume(key, nowMs);
    return this.failed.has(project) ? queueMs : Math.min(queueMs, this.options.newcomerWaitMs);
  }

  /**
   * Counts an attempt. Returns whether it was counted: a proven endpoint's attempt counts only once
   * it fails.
   */
  charge(endpoint: Endpoint, key: string, nowMs: number): boolean {
    if (this.isProven(endpoint, key)) return false;
    this.attempts.charge(key, nowMs);
    this.reserves.charge(projectKey(endpoint, key), nowMs);
    return true;
  }

  /** Undoes an attempt that `charge` counted. */
  refund(endpoint: Endpoint, key: string): void {
    this.attempts.refund(key);
    this.reserves.refund(projectKey(endpoint, key));
  }

  /** An attempt under the key has delivered. */
  delivered(endpoint: Endpoint, key: string): void {
    const name = endpointKey(endpoint, key);
    // Writing costs more than reading, and a working endpoint has nothing to write.
    if (this.proven.get(name) !== 0) this.proven.set(name, 0);
    this.failed.delete(projectKey(endpoint, key));
  }

  /** An attempt under the key has failed; `charged` is the result of `charge`. */
  hasFailed(endpoint: Endpoint, key: string, { charged, nowMs }: { charged: boolean; nowMs: number }): void {
    if (!charged) this.attempts.charge(key, nowMs);
    const name = endpointKey(endpoint, key);
    const failures = this.proven.get(name);
    if (failures !== undefined) this.proven.set(name, failures + 1);
    this.failed.set(projectKey(endpoint, key), true);
  }

  /** Counts the exhausted keys with this prefix, for the metrics. */
  exhausted(prefix: string, nowMs: number): number {
    return this.attempts.exhausted(nowMs, prefix);
  }

  private isProven(endpoint: Endpoint, key: string): boolean {
    const failures = this.proven.get(endpointKey(endpoint, key));
    return failures !== undefined && failures < this.options.provenFailuresMax;
  }
}

function projectKey({ projectId }: Endpoint, key: string): string {
  return `${projectId} ${key}`;
}

function endpointKey({ projectId, hostname }: Endpoint, key: string): string {
  return `${projectId} ${hostname} ${key}`;
}
