import { newId } from '../../src/platform/identity/ids.js';
import type { Outages } from './outages.js';
import { pause } from './pause.js';

/** How long a caller waits for an answer: longer than the service lets a record wait for its database. */
const PATIENCE_MS = 8_000;
/** Pause of a caller after `Retry-After` or a refused connection. */
const AGAIN_MS = 100;
/** How long after an outage its effects may still be felt: connections that break only now. */
const AFTERMATH_MS = 1_000;

/** A caller's response other than 200 or 201. */
export interface Trouble {
  what: 'unavailable' | 'refused' | 'broken' | 'late' | 'other';
  detail: string;
  api: 0 | 1;
  fromMs: number;
  toMs: number;
}

/**
 * Callers that send at a steady pace, each to both APIs in turn. Like a banner, one sends the same record again,
 * to the other API, until it is acknowledged.
 */
export class Load {
  /** Every id that was ever sent. */
  readonly sent = new Set<string>();
  readonly acknowledged = new Set<string>();
  readonly troubles: Trouble[] = [];
  slowestMs = 0;
  private lastMs = performance.now();
  private longestGapMs = 0;
  private readonly stopping = new AbortController();
  private callers: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly to: { apis: readonly [string, string]; projectIds: string[] },
    private readonly pace: { callers: number; perSecond: number },
  ) {}

  start(): void {
    const { callers } = this.pace;
    this.callers = Promise.all(Array.from({ length: callers }, (_, index) => this.call(index)));
  }

  /** The longest time without an acknowledged record since the last call. */
  takeLongestGapMs(): number {
    this.noteGap();
    const gapMs = this.longestGapMs;
    this.longestGapMs = 0;
    return gapMs;
  }

  private noteGap(): void {
    const nowMs = performance.now();
    this.longestGapMs = Math.max(this.longestGapMs, nowMs - this.lastMs);
    this.lastMs = nowMs;
  }

  /** Stops; a record in progress is not sent again. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.callers;
  }

  private async call(caller: number): Promise<void> {
    const everyMs = (this.pace.callers / this.pace.perSecond) * 1000;
    for (let count = 0; !this.stopping.signal.aborted; count++) {
      const startedMs = performance.now();
      const { projectIds } = this.to;
      const projectId = projectIds[(caller + count) % projectIds.length] ?? '';
      await this.sendUntilAcknowledged(projectId, caller + count);
      await pause(everyMs - (performance.now() - startedMs));
    }
  }

  private async sendUntilAcknowledged(projectId: string, turn: number): Promise<void> {
    const id = newId();
    this.sent.add(id);
    for (let tries = 0; !this.stopping.signal.aborted; tries++) {
      const trouble = await this.send(projectId, id, (turn + tries) % 2 === 0 ? 0 : 1);
      if (!trouble) {
        this.noteGap();
        this.acknowledged.add(id);
        return;
      }
      this.troubles.push(trouble);
      await pause(AGAIN_MS);
    }
  }

  private async send(projectId: string, id: string, api: 0 | 1): Promise<Trouble | null> {
    const fromMs = Date.now();
    const trouble = (what: Trouble['what'], detail: string): Trouble => ({
      what,
      detail,
      api,
      fromMs,
      toMs: Date.now(),
    });
    try {
      const response = await fetch(`${this.to.apis[api]}/v1/projects/${projectId}/consents`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id, analytics: true, marketing: false, preferences: true, action: 'custom' }),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const body = await response.text();
      this.slowestMs = Math.max(this.slowestMs, Date.now() - fromMs);
      if (response.status === 201 || response.status === 200) return null;
      if (response.status === 503 && response.headers.has('retry-after'))
        return trouble('unavailable', `503 ${body.slice(0, 200)}`);
      return trouble('other', `${response.status} ${body.slice(0, 200)}`);
    } catch (error) {
      const { name, cause } = error as Error;
      const code = String((cause as { code?: string } | undefined)?.code ?? name);
      if (name === 'TimeoutError') return trouble('late', `no answer within ${PATIENCE_MS} ms`);
      if (code === 'ECONNREFUSED') return trouble('refused', code);
      return trouble('broken', code);
    }
  }
}

/** Whether a caller may have seen this: a refusal only while that API is away, no 5xx but 503 with Retry-After. */
export function isAllowed({ what, api, fromMs, toMs }: Trouble, outages: Outages): boolean {
  const apiWasAway = outages.met(`api-${api}`, fromMs, toMs, AFTERMATH_MS);
  switch (what) {
    case 'unavailable':
      return true;
    case 'refused':
    case 'broken':
    case 'late':
      return apiWasAway;
    case 'other':
      return false;
  }
}
