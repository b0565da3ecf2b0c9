import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { InjectSettings } from '../../settings/inject-settings.js';
import { FAILURES_IN_A_ROW } from '../domain/hold.js';
import type { HealthSignal } from '../domain/health-signal.js';
import { type ForwardingSettings, forwardingSettings } from '../forwarding.settings.js';

/** Projects whose receivers fail that are remembered. */
const PROJECTS_MAX = 10_000;
/** By then the outcomes are settled, and the gate says what is next. */
const PAUSE_MS = 1_000;

interface Watched {
  /** Attempts in a row of this process that failed by the receiver's fault. */
  failures: number;
  pausedUntilMs: number;
}

/**
 * What this process has just seen of receivers that fail. A gate keeps messages from being claimed; those that are
 * claimed already, and not begun, go back because of this: also between an outcome and its commit, a time in which a
 * receiver that refuses connections would cost hundreds of records. Times are of a monotonic clock.
 */
@Injectable()
export class ReceiverWatch {
  private readonly watched = new LRUCache<string, Watched>({ max: PROJECTS_MAX });
  private readonly holds: boolean;

  constructor(@InjectSettings(forwardingSettings) settings: ForwardingSettings) {
    this.holds = settings.holdHours > 0;
  }

  /** For how many milliseconds an attempt that no gate has let through is put off; 0: it may be made. */
  pauseMs(projectId: string, nowMs: number): number {
    const pausedUntilMs = this.watched.get(projectId)?.pausedUntilMs ?? 0;
    return Math.max(0, Math.ceil(pausedUntilMs - nowMs));
  }

  /** An attempt has ended; it is not settled yet. */
  heard(projectId: string, health: HealthSignal, nowMs: number): void {
    if (health.kind === 'up') this.watched.delete(projectId);
    if (health.kind !== 'down' || !this.holds) return;
    const { failures, pausedUntilMs } = this.watched.get(projectId) ?? { failures: 0, pausedUntilMs: 0 };
    if (failures + 1 >= FAILURES_IN_A_ROW) this.pause(projectId, nowMs);
    else this.watched.set(projectId, { failures: failures + 1, pausedUntilMs });
  }

  /** Nothing of the project is to be sent now. */
  pause(projectId: string, nowMs: number): void {
    this.watched.set(projectId, { failures: 0, pausedUntilMs: nowMs + PAUSE_MS });
  }
}
