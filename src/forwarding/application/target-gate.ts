import { Injectable, Logger } from '@nestjs/common';
import { AttemptBound } from '../domain/attempt-bound.js';
import type { Destination } from '../domain/destination.js';
import { ForwardingMetrics } from '../infrastructure/forwarding.metrics.js';

/** Hosts, and projects with their hosts, that are remembered. */
const KEYS_MAX = 10_000;

/**
 * Attempts on a host, over all projects, while it answers nothing but failures: nobody proved that it is the
 * owner's, so it may be a stranger's. One success lifts it. A receiver that is down does not notice: it gets as
 * many attempts as it takes to find out, and what waits is sent when it is back.
 */
export const FAILING_HOST_BURST = 1_000;
export const FAILING_HOST_PER_SECOND = 20;

/**
 * Attempts of one project on one host that came with requests, whatever it answers: anonymous visitors name it.
 * Ten a second are 26 million records a month.
 */
export const LEGACY_HOST_BURST = 600;
export const LEGACY_HOST_PER_SECOND = 10;

/** Why an attempt is put off; a label of the metrics. */
export type SnoozeReason = 'failing_host' | 'legacy_rate';

/**
 * Limits attempts to hosts of unknown owners (design §6.5). It counts per process, so several workers allow a
 * multiple.
 */
@Injectable()
export class TargetGate {
  private readonly logger = new Logger(TargetGate.name);
  private readonly failing = new AttemptBound({
    burst: FAILING_HOST_BURST,
    perSecond: FAILING_HOST_PER_SECOND,
    keysMax: KEYS_MAX,
  });
  private readonly legacy = new AttemptBound({
    burst: LEGACY_HOST_BURST,
    perSecond: LEGACY_HOST_PER_SECOND,
    keysMax: KEYS_MAX,
  });
  /** Hosts that were logged, until they respond again. */
  private readonly told = new Set<string>();

  constructor(private readonly metrics: ForwardingMetrics) {
    metrics.watchBoundedHosts(() => this.failing.exhausted(performance.now()));
  }

  /** Counts an attempt that is about to be made; returns for how many milliseconds it is put off, or 0. */
  enter({
    projectId,
    hostname,
    kind,
  }: {
    projectId: string;
    hostname: string;
    kind: Destination['kind'];
  }): number {
    const nowMs = performance.now();
    // Asked first: an attempt that the other bound lets through would be counted without being made.
    const failingMs = this.failing.isExhausted(hostname, nowMs) ? this.failing.take(hostname, nowMs) : 0;
    if (failingMs > 0) return this.snooze('failing_host', hostname, failingMs);
    const legacyMs = kind === 'legacy' ? this.legacy.take(`${projectId}/${hostname}`, nowMs) : 0;
    if (legacyMs > 0) return this.snooze('legacy_rate', hostname, legacyMs);
    return this.failing.take(hostname, nowMs);
  }

  /** Says how an attempt ended that `enter` let through. */
  leave(hostname: string, delivered: boolean): void {
    if (!delivered) return;
    this.failing.clear(hostname);
    this.told.delete(hostname);
  }

  private snooze(reason: SnoozeReason, hostname: string, afterMs: number): number {
    this.metrics.countSnoozed(reason);
    if (!this.told.has(hostname)) {
      if (this.told.size >= KEYS_MAX) this.told.clear();
      this.told.add(hostname);
      this.logger.warn(
        { reason, hostname },
        reason === 'failing_host'
          ? 'a receiver answers nothing but failures; its attempts are bounded until one succeeds'
          : 'visitors name this host as custom_endpoint more often than is let through',
      );
    }
    return afterMs;
  }
}
