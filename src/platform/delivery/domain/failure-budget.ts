import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { getDomain } from 'tldts';

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
   * Counts an attempt. Returns whether it was counted: a proven endpoint's attempt counts only once it fails.
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

/** Longest returned wait. The caller tries again after it. */
export const SNOOZE_MAX_MS = 60_000;

/** State of a key. Times are of a monotonic clock, in milliseconds. */
interface Pace {
  /** When the attempts so far would have ended at the limited rate. */
  paidUntilMs: number;
  /** When the last snoozed attempt is due. */
  queueEndsMs: number;
}

/**
 * Limits attempts by key to `burst` at once and then `perSecond`, with the generic cell rate algorithm.
 * Attempts over the limit are not refused but spaced out, so that they do not return as a burst.
 */
export class PacedRateLimiter {
  /**
   * In order of use, the latest key last. Not an `LRUCache`: it clears its whole array when its last entry is
   * deleted, which with one receiver happened on each attempt (4 % of a worker's time).
   */
  private readonly known = new Map<string, Pace>();
  private readonly intervalMs: number;

  constructor(private readonly options: { burst: number; perSecond: number; keysMax: number }) {
    this.intervalMs = 1000 / options.perSecond;
  }

  /** Counts an attempt and returns 0, or returns how many milliseconds to wait. */
  consume(key: string, nowMs: number): number {
    const { paidUntilMs, queueEndsMs } = this.known.get(key) ?? { paidUntilMs: 0, queueEndsMs: 0 };
    const paid = Math.max(paidUntilMs, nowMs) + this.intervalMs;
    if (paid - nowMs <= this.options.burst * this.intervalMs) {
      this.keep(key, { paidUntilMs: paid, queueEndsMs });
      return 0;
    }
    const dueMs = Math.min(Math.max(queueEndsMs, nowMs) + this.intervalMs, nowMs + SNOOZE_MAX_MS);
    this.keep(key, { paidUntilMs, queueEndsMs: dueMs });
    return Math.ceil(dueMs - nowMs);
  }

  /** Counts an attempt that is made even if it exceeds the limit. Later attempts wait longer, up to a minute. */
  charge(key: string, nowMs: number): void {
    const { paidUntilMs, queueEndsMs } = this.known.get(key) ?? { paidUntilMs: 0, queueEndsMs: 0 };
    const latestMs = nowMs + this.options.burst * this.intervalMs + SNOOZE_MAX_MS;
    this.keep(key, {
      paidUntilMs: Math.min(Math.max(paidUntilMs, nowMs) + this.intervalMs, latestMs),
      queueEndsMs,
    });
  }

  /** Undoes one counted attempt. */
  refund(key: string): void {
    const known = this.known.get(key);
    if (known) known.paidUntilMs -= this.intervalMs;
  }

  /** Whether the key has used up its burst. */
  isExhausted(key: string, nowMs: number): boolean {
    const paidUntilMs = this.known.get(key)?.paidUntilMs ?? 0;
    return paidUntilMs + this.intervalMs - nowMs > this.options.burst * this.intervalMs;
  }

  /** Keys with this prefix that have used up their burst, for the metrics. */
  exhausted(nowMs: number, prefix = ''): number {
    return [...this.known.keys()].filter((key) => key.startsWith(prefix) && this.isExhausted(key, nowMs))
      .length;
  }

  private keep(key: string, pace: Pace): void {
    this.known.delete(key);
    this.known.set(key, pace);
    const [oldest] = this.known.size > this.options.keysMax ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
  }
}

/** Kinds of counter keys: a site, or a machine. */
export const TARGET_KEY_KINDS = ['domain', 'address'] as const;
type TargetKeyKind = (typeof TARGET_KEY_KINDS)[number];

export type TargetKey = `${TargetKeyKind} ${string}`;

/**
 * A customer of a network provider usually has a whole /64 (RFC 6177), so more addresses in it cost nothing.
 */
const IPV6_SITE_BITS = 64;

/**
 * The registrable domain of a URL's hostname, by the public suffix list with the suffixes of
 * hosting companies; without one, as for an address, the host itself.
 */
export function domainKey(hostname: string): TargetKey {
  const domain = getDomain(hostname, { allowPrivateDomains: true, extractHostname: false });
  return `domain ${domain ?? hostname}`;
}

/** An IPv4 address, or the /64 of an IPv6 address. */
export function addressKey(address: string): TargetKey {
  if (isIP(address) === 0) return `address ${address}`;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return `address ${parsed.toString()}`;
  const network = parsed.parts.slice(0, IPV6_SITE_BITS / 16).map((part) => part.toString(16));
  return `address ${network.join(':')}::/${IPV6_SITE_BITS}`;
}
