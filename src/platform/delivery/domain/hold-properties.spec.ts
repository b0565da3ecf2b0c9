import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import type { ClaimThrottle } from '../../outbox/domain/claim-throttle.js';
import { afterOutcome, ALL_WELL, type Hold, type HoldTerms } from './hold.js';
import type { HealthSignal } from './health-signal.js';

const HOLD_MS = 72 * 3_600_000;
const RUNS = 300;

type Kind = HealthSignal['kind'];
interface Event {
  kind: Kind;
  /** Since the event before. */
  afterMs: number;
  /** Whether the throttle released it; otherwise it was already in progress. */
  isProbe: boolean;
}

const signals = fc.constantFrom<Kind>(
  'up',
  'down',
  'down',
  'down',
  'down',
  'down',
  'unclear',
  'untried',
  'elsewhere',
);
const events = fc.array(
  fc.record<Event>({
    kind: signals,
    afterMs: fc.oneof(fc.nat(50), fc.nat(4_000), fc.nat(600_000)),
    isProbe: fc.boolean(),
  }),
  { maxLength: 60 },
);

function healthSignalOf(kind: Kind): HealthSignal {
  return kind === 'down' ? { kind, retryAfterMs: null } : { kind };
}

interface Step {
  nowMs: number;
  before: Hold;
  hold: Hold;
  throttle: ClaimThrottle | null | undefined;
  event: Event;
}

/** Applies a sequence of events. Each probe has a new number. */
function run(sequence: Event[], random: number): Step[] {
  let hold = ALL_WELL;
  let nowMs = 0;
  let probes = 0;
  return sequence.map((event) => {
    nowMs += event.afterMs;
    if (event.isProbe) probes += 1;
    const terms: HoldTerms = { now: new Date(nowMs), holdMs: HOLD_MS, random };
    const probeNumber = event.isProbe ? probes : null;
    const before = hold;
    const change = afterOutcome(
      hold,
      { health: healthSignalOf(event.kind), reason: 'No.', probeNumber, createdAt: new Date(0) },
      terms,
    );
    hold = change.hold;
    return { nowMs, before, hold, throttle: change.throttle, event };
  });
}

/**
 * The rule of begin and end, restated without a state: a project is held after five or more
 * failures since the last success, the fifth or a later one at least 5 s after the first.
 */
function isHeld(steps: Step[]): boolean {
  const lastEnd = steps.findLastIndex(({ event }) => event.kind === 'up' || event.kind === 'elsewhere');
  const failed = steps
    .slice(lastEnd + 1)
    .filter(({ event }) => event.kind === 'down')
    .map(({ nowMs }) => nowMs);
  return failed.some((ms, index) => index >= 4 && ms - (failed[0] ?? ms) >= 5_000);
}

describe('holds, after any sequence of outcomes', () => {
  it('are there exactly where the rule, said a second time, has one', () => {
    fc.assert(
      fc.property(events, fc.double({ min: 0, max: 0.999, noNaN: true }), (sequence, random) => {
        const steps = run(sequence, random);
        steps.forEach(({ hold }, index) => {
          expect(hold.phase === 'open').toBe(isHeld(steps.slice(0, index + 1)));
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('have a throttle exactly where they are not closed, set with every change of the phase', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        let throttle = null as ClaimThrottle | null;
        for (const step of run(sequence, 0.5)) {
          if (step.throttle !== undefined) throttle = step.throttle;
          expect(throttle === null).toBe(step.hold.phase === 'closed');
          if (step.hold.phase !== step.before.phase) expect(step.throttle).toBeDefined();
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('let one record at a time through while open or suspect, after 5 s at least and 5 min at most', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        for (const { hold, throttle, nowMs, event, before } of run(sequence, 0.9)) {
          if (!throttle || (hold.phase !== 'open' && hold.phase !== 'suspect')) continue;
          expect(throttle.batchLimit).toBe(1);
          const waitMs = throttle.nextClaimAt.getTime() - nowMs;
          if (event.kind === 'untried') expect(waitMs).toBe(0);
          else if (hold.phase === 'open') expect([waitMs >= 5_000, waitMs <= 300_000]).toEqual([true, true]);
          // Late failures of records already in progress start no new delay.
          if (before.phase === 'open' && !event.isProbe) expect(throttle).toBeUndefined();
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('give a receiver that is back twice as much with an opening, never more, up to 64', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        let batchLimit = 0;
        for (const { hold, throttle, before } of run(sequence, 0)) {
          if (hold.phase !== 'half_open') continue;
          if (before.phase !== 'half_open') batchLimit = 1;
          if (!throttle) continue;
          expect(throttle.batchLimit).toBeLessThanOrEqual(Math.min(64, batchLimit * 2));
          batchLimit = throttle.batchLimit;
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('count every failure of an outage as lost', () => {
    fc.assert(
      fc.property(events, (sequence) => {
        const steps = run(sequence, 0);
        for (const [index, { hold }] of steps.entries()) {
          if (hold.phase !== 'open') continue;
          const lastUp = steps
            .slice(0, index)
            .findLastIndex(({ event }) => event.kind === 'up' || event.kind === 'elsewhere');
          const failed = steps
            .slice(lastUp + 1, index + 1)
            .filter(({ event }) => event.kind === 'down').length;
          expect(hold.lost).toBeGreaterThanOrEqual(failed);
          expect(hold.failures).toBe(failed);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a night of a receiver that is away', () => {
  const SECOND_MS = 1_000;

  /**
   * Simulates one record at a time, one worker, instant attempts, and the throttle of the outbox:
   * each record is sent as soon as allowed. Returns the number of failures during the outage, and
   * the time of the last send.
   */
  function night({ perSecond, awayMs, random }: { perSecond: number; awayMs: number; random: number }): {
    lost: number;
    sent: number;
    waiting: number;
    mostAtOnce: number;
  } {
    const everyMs = SECOND_MS / perSecond;
    let hold = ALL_WELL;
    let throttle = null as ClaimThrottle | null;
    let probes = 0;
    const [waiting, result] = [[] as number[], { lost: 0, sent: 0, mostAtOnce: 0 }];
    for (let nowMs = 0; nowMs < awayMs + 700 * SECOND_MS; nowMs += everyMs) {
      if (nowMs < awayMs + 300 * SECOND_MS) waiting.push(nowMs);
      const isOpen = throttle === null || throttle.nextClaimAt.getTime() <= nowMs;
      const through = isOpen ? waiting.splice(0, throttle?.batchLimit ?? 64) : [];
      const probeNumber = throttle !== null && through.length > 0 ? (probes += 1) : null;
      if (probeNumber !== null && throttle)
        throttle = { ...throttle, nextClaimAt: new Date(nowMs + 60 * SECOND_MS) };
      let failedNow = 0;
      for (const createdMs of through) {
        const isUp = nowMs >= awayMs;
        if (isUp) result.sent += 1;
        else failedNow += 1;
        const change = afterOutcome(
          hold,
          {
            health: healthSignalOf(isUp ? 'up' : 'down'),
            reason: null,
            probeNumber,
            createdAt: new Date(createdMs),
          },
          { now: new Date(nowMs), holdMs: HOLD_MS, random },
        );
        hold = change.hold;
        if (change.throttle !== undefined) throttle = change.throttle;
      }
      result.lost += failedNow;
      result.mostAtOnce = Math.max(result.mostAtOnce, through.length);
    }
    return { ...result, waiting: waiting.length };
  }

  it('costs a handful of records, and everything that waited is sent', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(1, 5, 50),
        fc.integer({ min: 10, max: 2 * 3600 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (perSecond, awaySeconds, random) => {
          const { lost, waiting, sent } = night({ perSecond, awayMs: awaySeconds * SECOND_MS, random });
          // Six until the circuit opens, then one for each delay: 5, 10, 20 … 300 s.
          const steps = awaySeconds < 600 ? 7 : 8 + awaySeconds / 300;
          expect(lost).toBeLessThanOrEqual(6 + steps);
          expect(waiting).toBe(0);
          expect(lost + sent).toBeGreaterThan(0);
        },
      ),
      { numRuns: 8 },
    );
  });
});
