import { Injectable, Logger } from '@nestjs/common';
import { AttemptBound } from '../domain/attempt-bound.js';
import type { Destination } from '../domain/destination.js';
import { type Endpoint, FailureBudget } from '../domain/failure-budget.js';
import { addressKey, domainKey, type TargetKey } from '../domain/target-keys.js';
import type { AddressGate } from '../infrastructure/address-gate.js';
import { ForwardingMetrics } from '../infrastructure/forwarding.metrics.js';

/** Domains, addresses, and projects with either, that are remembered. */
const KEYS_MAX = 10_000;

/**
 * Failing attempts on a registrable domain and on an address, over all projects. The target may be a stranger's, and the
 * owner of a domain can create names for any address. A receiver that is down does not notice the bound: it gets enough
 * attempts to find out, and queued records are sent when it is back.
 */
export const FAILING_TARGET_BURST = 1_000;
export const FAILING_TARGET_PER_SECOND = 20;

/** Attempts of each project on an exhausted domain or address, one of which that succeeds is enough to pass. */
export const RESERVED_ATTEMPTS = 10;
export const RESERVED_PER_SECOND = 0.1;
/** Failures in a row after which an endpoint that delivered counts like one that never did. */
const PROVEN_FAILURES_MAX = 20;
/** While its reserved attempts are under way, a project that did not fail waits no longer than this. */
const NEWCOMER_WAIT_MS = 1_000;

/**
 * Attempts of one project on one domain, and on one address, that came with requests, whatever it answers: anonymous
 * visitors name it. Ten a second are 26 million records a month.
 */
export const LEGACY_TARGET_BURST = 600;
export const LEGACY_TARGET_PER_SECOND = 10;

/** Why an attempt is put off; a label of the metrics. */
export type SnoozeReason = 'failing_host' | 'failing_address' | 'legacy_rate';

export interface GatedAttempt extends Endpoint {
  kind: Destination['kind'];
}

/**
 * Limits attempts to hosts of unknown owners (design §6.5). It counts per process, so several workers allow a
 * multiple.
 */
@Injectable()
export class TargetGate {
  private readonly logger = new Logger(TargetGate.name);
  private readonly failing = new FailureBudget({
    burst: FAILING_TARGET_BURST,
    perSecond: FAILING_TARGET_PER_SECOND,
    reserve: RESERVED_ATTEMPTS,
    reservePerSecond: RESERVED_PER_SECOND,
    provenFailuresMax: PROVEN_FAILURES_MAX,
    newcomerWaitMs: NEWCOMER_WAIT_MS,
    keysMax: KEYS_MAX,
  });
  private readonly legacy = new AttemptBound({
    burst: LEGACY_TARGET_BURST,
    perSecond: LEGACY_TARGET_PER_SECOND,
    keysMax: KEYS_MAX,
  });
  /** Domains and addresses that were logged, until an attempt there succeeds. */
  private readonly warned = new Set<string>();

  constructor(private readonly metrics: ForwardingMetrics) {
    metrics.watchBoundedHosts((kind) => this.failing.exhausted(`${kind} `, performance.now()));
  }

  /** Counts an attempt that is about to be made, or says for how many milliseconds it is put off. */
  enter(attempt: GatedAttempt): Passage | { afterMs: number } {
    const domain = domainKey(attempt.hostname);
    const afterMs = this.waitMs(attempt, domain);
    if (afterMs > 0) return { afterMs };
    const passage = new Passage(this, attempt, domain);
    passage.charge(domain);
    return passage;
  }

  /** For how long an attempt on a domain or an address is put off; counts nothing. */
  waitMs(attempt: GatedAttempt, key: TargetKey): number {
    const nowMs = performance.now();
    const failingMs = this.failing.waitMs(attempt, textOf(key), nowMs);
    if (failingMs > 0) {
      const reason = key.kind === 'domain' ? 'failing_host' : 'failing_address';
      return this.snooze(reason, { attempt, key, afterMs: failingMs });
    }
    const legacyKey = legacyKeyOf(attempt, key);
    if (attempt.kind !== 'legacy' || !this.legacy.isExhausted(legacyKey, nowMs)) return 0;
    return this.snooze('legacy_rate', { attempt, key, afterMs: this.legacy.take(legacyKey, nowMs) });
  }

  /** Counts an attempt; returns whether it counts as failing until it has delivered. */
  charge(attempt: GatedAttempt, key: TargetKey): boolean {
    const nowMs = performance.now();
    if (attempt.kind === 'legacy') this.legacy.charge(legacyKeyOf(attempt, key), nowMs);
    return this.failing.charge(attempt, textOf(key), nowMs);
  }

  /** Takes back an attempt that was not made. */
  refund(attempt: GatedAttempt, key: TargetKey, charged: boolean): void {
    if (attempt.kind === 'legacy') this.legacy.refund(legacyKeyOf(attempt, key));
    if (charged) this.failing.refund(attempt, textOf(key));
  }

  delivered(attempt: GatedAttempt, key: TargetKey, charged: boolean): void {
    if (charged) this.failing.refund(attempt, textOf(key));
    this.failing.delivered(attempt, textOf(key));
    this.warned.delete(textOf(key));
  }

  hasFailed(attempt: GatedAttempt, key: TargetKey, charged: boolean): void {
    this.failing.hasFailed(attempt, textOf(key), { charged, nowMs: performance.now() });
  }

  private snooze(
    reason: SnoozeReason,
    { attempt, key, afterMs }: { attempt: GatedAttempt; key: TargetKey; afterMs: number },
  ): number {
    this.metrics.countSnoozed(reason);
    if (!this.warned.has(textOf(key))) {
      if (this.warned.size >= KEYS_MAX) this.warned.clear();
      this.warned.add(textOf(key));
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

/** One attempt that was let through, from its host to the addresses behind it. */
export class Passage implements AddressGate {
  private readonly charged = new Map<string, { key: TargetKey; charged: boolean }>();

  constructor(
    private readonly gate: TargetGate,
    private readonly attempt: GatedAttempt,
    private readonly domain: TargetKey,
  ) {}

  waitMs(address: string): number {
    const key = addressKey(address);
    return this.charged.has(textOf(key)) ? 0 : this.gate.waitMs(this.attempt, key);
  }

  use(address: string): void {
    this.charge(addressKey(address));
  }

  charge(key: TargetKey): void {
    const text = textOf(key);
    if (!this.charged.has(text))
      this.charged.set(text, { key, charged: this.gate.charge(this.attempt, key) });
  }

  /** No address could be used, so the attempt is not made. */
  snooze(): void {
    for (const { key, charged } of this.charged.values()) this.gate.refund(this.attempt, key, charged);
  }

  /** The attempt has ended at the address; null: it reached none. Those tried before it have failed. */
  leave({ delivered, address }: { delivered: boolean; address: string | null }): void {
    const reached = address === null ? null : textOf(addressKey(address));
    for (const [text, { key, charged }] of this.charged) {
      const isIts = key === this.domain || text === reached;
      if (delivered && isIts) this.gate.delivered(this.attempt, key, charged);
      else this.gate.hasFailed(this.attempt, key, charged);
    }
  }
}

function textOf({ kind, value }: TargetKey): string {
  return `${kind} ${value}`;
}

function legacyKeyOf({ projectId }: Endpoint, key: TargetKey): string {
  return `${projectId} ${textOf(key)}`;
}
