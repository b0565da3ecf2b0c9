import { describe, expect, it } from '@jest/globals';
import type { HealthSignal } from './health-signal.js';
import {
  afterBacklog,
  afterOutcome,
  ALL_WELL,
  type Hold,
  type HoldChange,
  type HoldNews,
  type HoldOutcome,
  type HoldTerms,
  isAllWell,
  judgeNews,
  newsOf,
  throttleForOverdue,
} from './hold.js';

/**
 * Literal values from the documentation, not imported, so that an accidental change of a number
 * fails.
 */
const HOUR_MS = 3_600_000;
const HOLD_MS = 72 * HOUR_MS;
const START_MS = Date.parse('2026-11-21T12:00:00.000Z');

const at = (ms: number): Date => new Date(START_MS + ms);
const terms = (ms: number, more: Partial<HoldTerms> = {}): HoldTerms => ({
  now: at(ms),
  holdMs: HOLD_MS,
  random: 0,
  ...more,
});
const DOWN: HealthSignal = { kind: 'down', retryAfterMs: null };
const holdOutcome = (health: HealthSignal, more: Partial<HoldOutcome> = {}): HoldOutcome => ({
  health,
  reason: health.kind === 'down' ? 'The endpoint returned 503.' : null,
  probeNumber: null,
  createdAt: at(-1_000),
  ...more,
});
/** The change after failures at these times. */
const failingAt = (instants: number[], hold: Hold = ALL_WELL): HoldChange =>
  instants.reduce<HoldChange>(
    (change, ms) => ({ ...change, ...afterOutcome(change.hold, holdOutcome(DOWN), terms(ms)) }),
    { hold },
  );
/** Held since 5 s, its probe due at 10 s. */
const HELD = failingAt([0, 1_000, 2_000, 3_000, 5_000]).hold;

describe('begin of a hold', () => {
  it('comes with the fifth failure in a row where they took 5 s', () => {
    const { hold, throttle } = failingAt([0, 1_000, 2_000, 3_000, 5_000]);
    expect(hold).toMatchObject({
      phase: 'open',
      heldSince: at(5_000),
      heldReason: 'The endpoint returned 503.',
      lost: 5,
    });
    expect(throttle).toEqual({ nextClaimAt: at(10_000), batchLimit: 1 });
  });

  it('does not come with the fourth, however long they took', () => {
    const { hold, throttle } = failingAt([0, 10_000, 20_000, 900_000]);
    expect(hold.phase).toBe('closed');
    expect(throttle).toBeUndefined();
  });

  it('waits for the end of the 5 s where five failed sooner: then one record decides', () => {
    const { hold, throttle } = failingAt([0, 1, 2, 3, 4_999]);
    expect(hold.phase).toBe('suspect');
    expect(throttle).toEqual({ nextClaimAt: at(5_000), batchLimit: 1 });
    const decided = afterOutcome(hold, holdOutcome(DOWN, { probeNumber: 1 }), terms(5_000));
    expect(decided.hold).toMatchObject({ phase: 'open', lost: 6 });
    expect(decided.throttle).toEqual({ nextClaimAt: at(10_000), batchLimit: 1 });
  });

  it('is called off by a success, also by one that began before', () => {
    const suspect = failingAt([0, 1, 2, 3, 4]).hold;
    for (const probeNumber of [null, 1]) {
      const { hold, throttle } = afterOutcome(
        suspect,
        holdOutcome({ kind: 'up' }, { probeNumber }),
        terms(5_000),
      );
      expect([hold, throttle]).toEqual([ALL_WELL, null]);
      expect(isAllWell(hold)).toBe(true);
    }
  });

  it('counts anew after a success', () => {
    const { hold } = failingAt([0, 2_000, 4_000, 6_000]);
    const again = afterOutcome(hold, holdOutcome({ kind: 'up' }), terms(6_500)).hold;
    expect(again).toEqual(ALL_WELL);
    expect(failingAt([7_000, 9_000, 11_000, 13_000], again).hold.phase).toBe('closed');
  });

  it.each(['unclear', 'untried'] as const)('neither counts nor interrupts with what is %s', (kind) => {
    let { hold } = failingAt([0, 2_000, 4_000, 6_000]);
    hold = afterOutcome(hold, holdOutcome({ kind }), terms(6_500)).hold;
    expect(hold).toMatchObject({ phase: 'closed', failures: 4 });
    expect(failingAt([7_000], hold).hold.phase).toBe('open');
  });

  it('leaves alone for an hour at most who asks for it', () => {
    const asking = (retryAfterMs: number): HoldChange =>
      afterOutcome(
        failingAt([0, 2_000, 4_000, 6_000]).hold,
        holdOutcome({ kind: 'down', retryAfterMs }),
        terms(8_000),
      );
    expect(asking(HOUR_MS).throttle).toEqual({ nextClaimAt: at(8_000 + HOUR_MS), batchLimit: 1 });
    // Retry-After is shorter than the back-off.
    expect(asking(1_000).throttle).toEqual({ nextClaimAt: at(13_000), batchLimit: 1 });
  });

  it('leaves it alone also before it is certain', () => {
    const four = failingAt([0, 1, 2, 3]).hold;
    const { hold, throttle } = afterOutcome(
      four,
      holdOutcome({ kind: 'down', retryAfterMs: 60_000 }),
      terms(4),
    );
    expect([hold.phase, throttle]).toEqual(['suspect', { nextClaimAt: at(60_004), batchLimit: 1 }]);
    // A record in progress does not reschedule.
    expect(afterOutcome(hold, holdOutcome(DOWN), terms(5)).throttle).toBeUndefined();
  });

  it('never comes where nothing is to be held', () => {
    const off = { holdMs: 0 };
    const { hold, throttle } = afterOutcome(HELD, holdOutcome(DOWN, { probeNumber: 1 }), terms(10_000, off));
    expect([hold, throttle]).toEqual([ALL_WELL, null]);
  });
});

describe('probes', () => {
  const waits = (random: number): number[] => {
    let hold = HELD;
    let nowMs = 10_000;
    const found: number[] = [];
    for (let probeNumber = 1; probeNumber <= 9; probeNumber++) {
      const change = afterOutcome(hold, holdOutcome(DOWN, { probeNumber }), terms(nowMs, { random }));
      const opensMs = (change.throttle?.nextClaimAt.getTime() ?? Number.NaN) - START_MS;
      found.push(opensMs - nowMs);
      hold = change.hold;
      nowMs = opensMs;
    }
    return found;
  };

  it('come at doubling distances up to five minutes', () => {
    expect(waits(0)).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000, 300_000]);
  });

  it('come up to a fifth later by chance, and never after more than five minutes', () => {
    expect(waits(0.5).slice(0, 4)).toEqual([11_000, 22_000, 44_000, 88_000]);
    expect(Math.max(...waits(0.999))).toBe(300_000);
  });

  it('are one step however many outcomes come of an opening, and none for what was under way', () => {
    const first = afterOutcome(HELD, holdOutcome(DOWN, { probeNumber: 1 }), terms(10_000)).hold;
    for (const probeNumber of [1, null]) {
      const { hold, throttle } = afterOutcome(first, holdOutcome(DOWN, { probeNumber }), terms(10_001));
      expect([hold.probes, hold.lost, throttle]).toEqual([1, 7, undefined]);
    }
  });

  it('begin anew after an answer about one record: it answers, and held it stays', () => {
    let { hold } = afterOutcome(HELD, holdOutcome(DOWN, { probeNumber: 1 }), terms(10_000));
    hold = afterOutcome(hold, holdOutcome(DOWN, { probeNumber: 2 }), terms(20_000)).hold;
    const { hold: held, throttle } = afterOutcome(
      hold,
      holdOutcome({ kind: 'unclear' }, { probeNumber: 3 }),
      terms(40_000),
    );
    expect(held).toMatchObject({ phase: 'open', probes: 0, lost: 7 });
    expect(throttle).toEqual({ nextClaimAt: at(45_000), batchLimit: 1 });
  });

  it('go on with the next record where nothing was sent for one', () => {
    const { hold, throttle } = afterOutcome(
      HELD,
      holdOutcome({ kind: 'untried' }, { probeNumber: 1 }),
      terms(10_000),
    );
    expect(hold.phase).toBe('open');
    expect(throttle).toEqual({ nextClaimAt: at(10_000), batchLimit: 1 });
  });

  it('end where the project does not forward any more', () => {
    const { hold, throttle } = afterOutcome(
      HELD,
      holdOutcome({ kind: 'elsewhere' }, { probeNumber: 1 }),
      terms(10_000),
    );
    expect([hold.phase, throttle, isAllWell(hold)]).toEqual(['closed', null, true]);
  });
});

describe('records that wait too long', () => {
  const throttle = { nextClaimAt: at(300_000), batchLimit: 1 };
  const waitingSince = (...ages: number[]): Date[] => ages.map((ageMs) => at(-ageMs));

  it('change nothing before they do', () => {
    expect(throttleForOverdue(throttle, [], terms(0))).toEqual(throttle);
    expect(throttleForOverdue(throttle, waitingSince(HOLD_MS - 300_000), terms(0))).toEqual(throttle);
  });

  it('let the throttle open at the moment when the oldest does', () => {
    const soon = throttleForOverdue(throttle, waitingSince(HOLD_MS - 299_999, 0), terms(0));
    expect(soon).toEqual({ nextClaimAt: at(299_999), batchLimit: 1 });
    expect(
      throttleForOverdue(throttle, waitingSince(HOLD_MS - 1, HOLD_MS - 2), terms(0)).nextClaimAt,
    ).toEqual(at(1));
  });

  it('go after a second, as many as there are and 20 at most', () => {
    const two = throttleForOverdue(throttle, waitingSince(HOLD_MS + 1, HOLD_MS, HOLD_MS - 1), terms(0));
    expect(two).toEqual({ nextClaimAt: at(1_000), batchLimit: 2 });
    const many = throttleForOverdue(
      throttle,
      waitingSince(...Array.from({ length: 30 }, () => HOLD_MS)),
      terms(0),
    );
    expect(many.batchLimit).toBe(20);
  });

  it('never let it open later than it would', () => {
    const early = { nextClaimAt: at(500), batchLimit: 1 };
    expect(throttleForOverdue(early, waitingSince(HOLD_MS), terms(0))).toEqual({
      nextClaimAt: at(500),
      batchLimit: 1,
    });
  });
});

describe('end of a hold', () => {
  const up = (probeNumber: number | null): HoldOutcome => holdOutcome({ kind: 'up' }, { probeNumber });

  it('comes with any success, and lets two records through', () => {
    for (const probeNumber of [1, null]) {
      const { hold, throttle } = afterOutcome(HELD, up(probeNumber), terms(10_000));
      expect(hold).toMatchObject({ phase: 'half_open', endedAt: at(10_000), failures: 0, sent: 1, lost: 5 });
      expect(throttle).toEqual({ nextClaimAt: at(10_000), batchLimit: 2 });
    }
  });

  it('lets twice as many through each second, up to 64, and then what the slots allow', () => {
    let { hold } = afterOutcome(HELD, up(1), terms(10_000));
    const batchLimits: (number | undefined)[] = [];
    for (let probeNumber = 2; probeNumber <= 7; probeNumber++) {
      const change = afterOutcome(hold, up(probeNumber), terms(10_000 + probeNumber * 1_000));
      if (change.throttle) expect(change.throttle.nextClaimAt).toEqual(at(11_000 + probeNumber * 1_000));
      batchLimits.push(change.throttle?.batchLimit);
      hold = change.hold;
    }
    expect(batchLimits).toEqual([4, 8, 16, 32, 64, undefined]);
    expect([hold.phase, isAllWell(hold)]).toEqual(['closed', true]);
  });

  it('is over once nothing waits any more', () => {
    const { hold } = afterOutcome(HELD, up(1), terms(10_000));
    expect(isAllWell(afterBacklog(hold))).toBe(true);
    expect(afterBacklog(HELD)).toEqual(HELD);
  });

  it('gives half as much to one that fails again, and is held again after five', () => {
    let { hold } = afterOutcome(HELD, up(1), terms(10_000));
    for (const probeNumber of [2, 3]) hold = afterOutcome(hold, up(probeNumber), terms(12_000)).hold;
    expect(hold.batchLimit).toBe(8);
    const fails = afterOutcome(hold, holdOutcome(DOWN, { probeNumber: 4 }), terms(13_000));
    expect([fails.hold.phase, fails.throttle]).toEqual([
      'half_open',
      { nextClaimAt: at(14_000), batchLimit: 4 },
    ]);
    const more = failingAt([13_001, 13_002, 13_003, 13_004], fails.hold);
    expect([more.hold.phase, more.throttle]).toEqual(['suspect', { nextClaimAt: at(18_000), batchLimit: 1 }]);
    const held = afterOutcome(more.hold, holdOutcome(DOWN, { probeNumber: 5 }), terms(18_000)).hold;
    expect(held).toMatchObject({ phase: 'open', heldSince: at(18_000), endedAt: null });
  });

  it('is the same outage to owners who were told of it, until they hear of its end', () => {
    const told = { ...HELD, notifiedAt: at(400_000) };
    const { hold } = afterOutcome(told, up(1), terms(500_000));
    const again = failingAt([501_000, 502_000, 503_000, 504_000, 506_000], hold).hold;
    expect(again).toMatchObject({ phase: 'open', heldSince: at(5_000), notifiedAt: at(400_000), lost: 10 });
  });

  it('counts what waited when it came and was delivered, and keeps the count until it is told', () => {
    const told = { ...HELD, notifiedAt: at(400_000) };
    let { hold } = afterOutcome(told, holdOutcome({ kind: 'up' }, { probeNumber: 1 }), terms(500_000));
    const before = holdOutcome({ kind: 'up' }, { createdAt: at(500_000) });
    const after = holdOutcome({ kind: 'up' }, { createdAt: at(500_001) });
    for (const outcome of [before, after, after]) hold = afterOutcome(hold, outcome, terms(501_000)).hold;
    expect(hold).toMatchObject({ sent: 2, lost: 5 });
    const closed: Hold = { ...hold, phase: 'closed' };
    expect([isAllWell(closed), isAllWell({ ...closed, notifiedAt: null })]).toEqual([false, true]);
  });
});

const MINUTE_MS = 60_000;
const SINCE = new Date('2026-11-21T12:00:00.000Z');
const after = (minutes: number): Date => new Date(SINCE.getTime() + minutes * MINUTE_MS);
const STORED_HOLD: Hold = { ...ALL_WELL, phase: 'open', heldSince: SINCE, failures: 5, lost: 5 };
const TOLD: Hold = { ...STORED_HOLD, notifiedAt: after(5) };
const ENDED: Hold = { ...TOLD, phase: 'closed', failures: 0, endedAt: after(60) };
const BEGAN: HoldNews = { kind: 'began', heldSince: SINCE };
const END: HoldNews = { kind: 'ended', heldSince: SINCE };
const judge = (news: HoldNews, hold: Hold | null, minutes: number, backlogSince: Date | null = null) =>
  judgeNews(news, { hold, backlogSince, now: after(minutes) });

describe('the news that a hold began', () => {
  it('waits for five minutes', () => {
    expect(judge(BEGAN, STORED_HOLD, 0)).toEqual({ kind: 'wait', afterMs: 5 * MINUTE_MS });
    expect(judge(BEGAN, STORED_HOLD, 4.999)).toMatchObject({ kind: 'wait' });
    expect(judge(BEGAN, STORED_HOLD, 5)).toEqual({ kind: 'tell' });
  });

  it('is told once, and not of a hold that is over or another one', () => {
    expect(judge(BEGAN, TOLD, 6)).toEqual({ kind: 'nothing' });
    expect(judge(BEGAN, { ...STORED_HOLD, phase: 'half_open' }, 6)).toEqual({ kind: 'nothing' });
    expect(judge(BEGAN, { ...STORED_HOLD, heldSince: after(1) }, 6)).toEqual({ kind: 'nothing' });
    expect(judge(BEGAN, null, 6)).toEqual({ kind: 'nothing' });
  });
});

describe('the news that a hold ended', () => {
  it('waits until what waited was sent, for a day at most', () => {
    expect(judge(END, ENDED, 61, after(60))).toEqual({ kind: 'wait', afterMs: 30_000 });
    expect(judge(END, ENDED, 61, new Date(after(60).getTime() + 1))).toEqual({ kind: 'tell' });
    expect(judge(END, ENDED, 61)).toEqual({ kind: 'tell' });
    expect(judge(END, ENDED, 60 + 24 * 60 - 0.001, after(1))).toMatchObject({ kind: 'wait' });
    expect(judge(END, ENDED, 60 + 24 * 60, after(1))).toEqual({ kind: 'tell' });
  });

  it('is left to the next end where it is held again, and not told of what nobody was told began', () => {
    expect(judge(END, { ...TOLD, endedAt: null }, 61)).toEqual({ kind: 'nothing' });
    expect(judge(END, { ...ENDED, notifiedAt: null }, 61)).toEqual({ kind: 'nothing' });
  });
});

describe(newsOf.name, () => {
  it('has a begin for each new hold, and an end for each that was told', () => {
    expect(newsOf(ALL_WELL, STORED_HOLD)).toEqual(BEGAN);
    expect(newsOf(STORED_HOLD, { ...STORED_HOLD, probes: 1 })).toBeNull();
    expect(newsOf(TOLD, ENDED)).toEqual(END);
    expect(newsOf(ENDED, ENDED)).toBeNull();
    expect(newsOf(STORED_HOLD, { ...ENDED, notifiedAt: null })).toBeNull();
    // Held again before the notification of the end.
    expect(newsOf(ENDED, TOLD)).toBeNull();
  });
});
