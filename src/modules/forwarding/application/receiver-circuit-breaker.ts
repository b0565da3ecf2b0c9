import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InjectSettings } from '../../../platform/settings/inject-settings.js';
import { FAILURES_IN_A_ROW } from '../domain/hold.js';
import type { HealthSignal } from '../domain/health-signal.js';
import { type ForwardingSettings, forwardingSettings } from '../forwarding.settings.js';

/** Projects with failing receivers kept in memory. */
const PROJECTS_MAX = 10_000;
/** After this time the outcomes are settled, and the claim throttle takes over. */
const OPEN_MS = 1_000;

interface Circuit {
  /** Consecutive attempts of this process that the receiver failed. */
  failures: number;
  openUntilMs: number;
}

/**
 * In-process circuit breaker for the receivers of projects. The circuit of a project in the
 * database (`domain/hold.ts`) stops the claiming of messages, but only once outcomes are committed.
 * Until then this one stops messages that are already claimed: a receiver that refuses connections
 * would otherwise cost hundreds of records. Times are of a monotonic clock.
 */
@Injectable()
export class ReceiverCircuitBreaker {
  private readonly circuits = new LRUCache<string, Circuit>({ max: PROJECTS_MAX });
  private readonly holds: boolean;

  constructor(@InjectSettings(forwardingSettings) settings: ForwardingSettings) {
    this.holds = settings.holdHours > 0;
  }

  /** Milliseconds until an attempt that is not a probe may be made; 0: now. */
  waitMs(projectId: string, nowMs: number): number {
    const openUntilMs = this.circuits.get(projectId)?.openUntilMs ?? 0;
    return Math.max(0, Math.ceil(openUntilMs - nowMs));
  }

  /** Records the end of an attempt, before it is settled. */
  record(projectId: string, health: HealthSignal, nowMs: number): void {
    if (health.kind === 'up') this.circuits.delete(projectId);
    if (health.kind !== 'down' || !this.holds) return;
    const { failures, openUntilMs } = this.circuits.get(projectId) ?? { failures: 0, openUntilMs: 0 };
    if (failures + 1 >= FAILURES_IN_A_ROW) this.open(projectId, nowMs);
    else this.circuits.set(projectId, { failures: failures + 1, openUntilMs });
  }

  open(projectId: string, nowMs: number): void {
    this.circuits.set(projectId, { failures: 0, openUntilMs: nowMs + OPEN_MS });
  }
}
