import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Counter, Gauge } from 'prom-client';
import { Metrics } from '../operations/metrics.js';
import type { TargetKind } from './domain/endpoint-policy.js';
import {
  addressKey,
  domainKey,
  type Endpoint,
  FailureBudget,
  PacedRateLimiter,
  TARGET_KEY_KINDS,
  type TargetKey,
} from './domain/failure-budget.js';
import type { AddressLimiter } from './infrastructure/guarded-connector.js';

/** Domains, addresses, and pairs of a project and one of them, kept in memory. */
const KEYS_MAX = 10_000;

/**
 * Failing attempts on a registrable domain and on an address, over all projects. The target may be
 * a third party's, and the owner of a domain can create names for any address. Recovery is not
 * delayed: a receiver that is down still gets enough attempts to detect that it is back.
 */
export const FAILING_TARGET_BURST = 1_000;
export const FAILING_TARGET_PER_SECOND = 20;

/** Attempts of each project on an exhausted domain or address. One success exempts the project. */
export const RESERVED_ATTEMPTS = 10;
export const RESERVED_PER_SECOND = 0.1;
/** Consecutive failures after which a proven endpoint counts like one that never delivered. */
const PROVEN_FAILURES_MAX = 20;
/** Longest wait of a project without failures while its reserved attempts are in progress. */
const NEWCOMER_WAIT_MS = 1_000;

/**
 * Attempts of one project on one domain, and on one address, that requests named as `custom_endpoint`,
 * successful or not, because anonymous visitors choose it. Ten per second are 26 million records a month.
 */
export const LEGACY_TARGET_BURST = 600;
export const LEGACY_TARGET_PER_SECOND = 10;

/** Why an attempt is snoozed; a label of the metrics. */
export type SnoozeReason = 'failing_host' | 'failing_address' | 'legacy_rate';

export interface LimitedAttempt extends Endpoint {
  kind: TargetKind;
}

/**
 * Limits attempts on hosts whose owner is unknown (design §6.5). Counts in this process, so several
 * workers together allow a multiple.
 */
@Injectable()
export class TargetRateLimiter {
  private readonly logger = new Logger(TargetRateLimiter.name);
  private readonly failing = new FailureBudget({
    burst: FAILING_TARGET_BURST,
    perSecond: FAILING_TARGET_PER_SECOND,
    reserve: RESERVED_ATTEMPTS,
    reservePerSecond: RESERVED_PER_SECOND,
    provenFailuresMax: PROVEN_FAILURES_MAX,
    newcomerWaitMs: NEWCOMER_WAIT_MS,
    keysMax: KEYS_MAX,
  });
  private readonly legacy = new PacedRateLimiter({
    burst: LEGACY_TARGET_BURST,
    perSecond: LEGACY_TARGET_PER_SECOND,
    keysMax: KEYS_MAX,
  });
  /** Keys by hostname and by address, cached because computing one dominates the cost here. */
  private readonly domains = new LRUCache<string, TargetKey>({ max: KEYS_MAX, memoMethod: domainKey });
  private readonly addresses = new LRUCache<string, TargetKey>({ max: KEYS_MAX, memoMethod: addressKey });
  /** Domains and addresses with a logged warning, until an attempt there succeeds. */
  private readonly warned = new Set<string>();

  private readonly snoozed: Counter<'reason'>;

  constructor(metrics: Metrics) {
    const registers = [metrics.registry];
    this.snoozed = new Counter({
      name: 'forwarding_snoozed_total',
      help: 'Attempts postponed because attempts on their domain or address fail, or because requests name it too often.',
      labelNames: ['reason'],
      registers,
    });
    const exhausted = (kind: string): number => this.failing.exhausted(`${kind} `, performance.now());
    new Gauge({
      name: 'forwarding_bounded_hosts',
      help: 'Domains and addresses whose failing attempts are limited.',
      labelNames: ['kind'],
      registers,
      collect() {
        for (const kind of TARGET_KEY_KINDS) this.set({ kind }, exhausted(kind));
      },
    });
  }

  /** Counts an attempt that is about to be made, or returns how long to snooze it. */
  acquire(attempt: LimitedAttempt): AttemptPermit | { afterMs: number } {
    const domain = this.domains.memo(attempt.hostname);
    const afterMs = this.waitMs(attempt, domain);
    if (afterMs > 0) return { afterMs };
    const permit = new AttemptPermit(this, attempt, domain);
    permit.charge(domain);
    return permit;
  }

  /** The counter key of an address. */
  keyOfAddress(address: string): TargetKey {
    return this.addresses.memo(address);
  }

  /** Milliseconds to snooze an attempt on a domain or an address; 0: none. Counts nothing. */
  waitMs(attempt: LimitedAttempt, key: TargetKey): number {
    const nowMs = performance.now();
    const failingMs = this.failing.waitMs(attempt, key, nowMs);
    if (failingMs > 0) {
      const reason = key.startsWith('domain ') ? 'failing_host' : 'failing_address';
      return this.snooze(reason, { attempt, key, afterMs: failingMs });
    }
    const legacyKey = legacyKeyOf(attempt, key);
    if (attempt.kind !== 'legacy' || !this.legacy.isExhausted(legacyKey, nowMs)) return 0;
    return this.snooze('legacy_rate', { attempt, key, afterMs: this.legacy.consume(legacyKey, nowMs) });
  }

  /** Counts an attempt; returns whether it counts as failing until it has delivered. */
  charge(attempt: LimitedAttempt, key: TargetKey): boolean {
    const nowMs = performance.now();
    if (attempt.kind === 'legacy') this.legacy.charge(legacyKeyOf(attempt, key), nowMs);
    return this.failing.charge(attempt, key, nowMs);
  }

  /** Undoes `charge` for an attempt that was not made. */
  refund(attempt: LimitedAttempt, key: TargetKey, charged: boolean): void {
    if (attempt.kind === 'legacy') this.legacy.refund(legacyKeyOf(attempt, key));
    if (charged) this.failing.refund(attempt, key);
  }

  delivered(attempt: LimitedAttempt, key: TargetKey, charged: boolean): void {
    if (charged) this.failing.refund(attempt, key);
    this.failing.delivered(attempt, key);
    this.warned.delete(key);
  }

  hasFailed(attempt: LimitedAttempt, key: TargetKey, charged: boolean): void {
    this.failing.hasFailed(attempt, key, { charged, nowMs: performance.now() });
  }

  private snooze(
    reason: SnoozeReason,
    { attempt, key, afterMs }: { attempt: LimitedAttempt; key: TargetKey; afterMs: number },
  ): number {
    this.snoozed.inc({ reason });
    if (!this.warned.has(key)) {
      if (this.warned.size >= KEYS_MAX) this.warned.clear();
      this.warned.add(key);
      this.logger.warn(
        { reason, hostname: attempt.hostname },
        reason === 'legacy_rate'
          ? 'requests name this host as custom_endpoint more often than allowed'
          : 'attempts on this host fail; attempts on its domain or address are limited until one succeeds',
      );
    }
    return afterMs;
  }
}

/** The permit for one attempt, on its host and on the addresses behind it. */
export class AttemptPermit implements AddressLimiter {
  private readonly charged = new Map<TargetKey, boolean>();

  constructor(
    private readonly limiter: TargetRateLimiter,
    private readonly attempt: LimitedAttempt,
    private readonly domain: TargetKey,
  ) {}

  waitMs(address: string): number {
    const key = this.limiter.keyOfAddress(address);
    return this.charged.has(key) ? 0 : this.limiter.waitMs(this.attempt, key);
  }

  use(address: string): void {
    this.charge(this.limiter.keyOfAddress(address));
  }

  charge(key: TargetKey): void {
    if (!this.charged.has(key)) this.charged.set(key, this.limiter.charge(this.attempt, key));
  }

  /** The attempt was not made, because no address could be used. */
  cancel(): void {
    for (const [key, charged] of this.charged) this.limiter.refund(this.attempt, key, charged);
  }

  /** The attempt ended at `address`; null: it reached none. The addresses tried before have failed. */
  release({ delivered, address }: { delivered: boolean; address: string | null }): void {
    const reached = address === null ? null : this.limiter.keyOfAddress(address);
    for (const [key, charged] of this.charged) {
      const isReached = key === this.domain || key === reached;
      if (delivered && isReached) this.limiter.delivered(this.attempt, key, charged);
      else this.limiter.hasFailed(this.attempt, key, charged);
    }
  }
}

function legacyKeyOf({ projectId }: Endpoint, key: TargetKey): string {
  return `${projectId} ${key}`;
}
