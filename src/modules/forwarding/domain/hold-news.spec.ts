import { describe, expect, it } from '@jest/globals';
import { ALL_WELL, type Hold } from './hold.js';
import { type HoldNews, judgeNews, newsOf } from './hold-news.js';

const MINUTE_MS = 60_000;
const SINCE = new Date('2026-11-21T12:00:00.000Z');
const after = (minutes: number): Date => new Date(SINCE.getTime() + minutes * MINUTE_MS);
const HELD: Hold = { ...ALL_WELL, phase: 'open', heldSince: SINCE, failures: 5, lost: 5 };
const TOLD: Hold = { ...HELD, notifiedAt: after(5) };
const ENDED: Hold = { ...TOLD, phase: 'closed', failures: 0, endedAt: after(60) };
const BEGAN: HoldNews = { kind: 'began', heldSince: SINCE };
const END: HoldNews = { kind: 'ended', heldSince: SINCE };
const judge = (news: HoldNews, hold: Hold | null, minutes: number, backlogSince: Date | null = null) =>
  judgeNews(news, { hold, backlogSince, now: after(minutes) });

describe('the news that a hold began', () => {
  it('waits for five minutes', () => {
    expect(judge(BEGAN, HELD, 0)).toEqual({ kind: 'wait', afterMs: 5 * MINUTE_MS });
    expect(judge(BEGAN, HELD, 4.999)).toMatchObject({ kind: 'wait' });
    expect(judge(BEGAN, HELD, 5)).toEqual({ kind: 'tell' });
  });

  it('is told once, and not of a hold that is over or another one', () => {
    expect(judge(BEGAN, TOLD, 6)).toEqual({ kind: 'nothing' });
    expect(judge(BEGAN, { ...HELD, phase: 'half_open' }, 6)).toEqual({ kind: 'nothing' });
    expect(judge(BEGAN, { ...HELD, heldSince: after(1) }, 6)).toEqual({ kind: 'nothing' });
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
    expect(newsOf(ALL_WELL, HELD)).toEqual(BEGAN);
    expect(newsOf(HELD, { ...HELD, probes: 1 })).toBeNull();
    expect(newsOf(TOLD, ENDED)).toEqual(END);
    expect(newsOf(ENDED, ENDED)).toBeNull();
    expect(newsOf(HELD, { ...ENDED, notifiedAt: null })).toBeNull();
    // Held again before the notification of the end.
    expect(newsOf(ENDED, TOLD)).toBeNull();
  });
});
