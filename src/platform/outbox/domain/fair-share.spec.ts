import { describe, expect, it } from '@jest/globals';
import {
  AHEAD_BELOW_MS,
  FairShare,
  SHARE_RESTART_MS,
  SHARE_START,
  SLOW_MS,
  TopicSlots,
} from './fair-share.js';

const SLOTS = 64;

describe(FairShare.name, () => {
  const run = (
    share: FairShare,
    project: string,
    count: number,
    { from = 0, takesMs = 5, healthy = true } = {},
  ): void => {
    for (let n = 0; n < count; n++) {
      share.claimed(project, from);
      share.started(project, from);
      share.ended(project, { startedMs: from, nowMs: from + takesMs, healthy });
    }
  };

  it('begins with a few slots for a project of which nothing is known', () => {
    const share = new FairShare(SLOTS);
    expect(share.startLimit).toBe(SHARE_START);
    expect(share.freeOf(0).size).toBe(0);
  });

  it('gives a quick receiver up to a quarter of the slots, and no more', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 100);
    let begun = 0;
    for (; share.mayStart('a'); begun++) {
      share.claimed('a', 10);
      share.started('a', 10);
    }
    expect(begun).toBe(SLOTS / 4);
  });

  it('claims as many again ahead of a quick receiver, and none ahead of a slower one', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 100, { takesMs: AHEAD_BELOW_MS - 1 });
    run(share, 'b', 100, { takesMs: AHEAD_BELOW_MS });
    for (let n = 0; n < 3; n++) share.claimed('a', 300);
    expect(share.freeOf(300)).toEqual(
      new Map([
        ['a', (2 * SLOTS) / 4 - 3],
        ['b', SLOTS / 4],
      ]),
    );
    share.givenBack('a', 300);
    expect(share.freeOf(300).get('a')).toBe((2 * SLOTS) / 4 - 2);
  });

  it('halves the share of a receiver that fails, down to one', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 100);
    run(share, 'a', 1, { healthy: false });
    expect(share.freeOf(10).get('a')).toBe(SLOTS / 8);
    run(share, 'a', 20, { healthy: false });
    expect(share.freeOf(10).get('a')).toBe(1);
  });

  it('takes an attempt under way for slow once it lasts too long', () => {
    const share = new FairShare(8);
    // Four hanging projects with two attempts each would hold all eight slots.
    for (const project of ['a', 'b', 'c', 'd']) {
      share.claimed(project, 10_000);
      share.started(project, 10_000);
    }
    expect([...share.freeOf(10_000 + SLOW_MS).values()]).toEqual([1, 1, 1, 1]);
    expect([...share.freeOf(10_000 + SLOW_MS + 1).values()]).toEqual([0, 0, 0, 0]);
  });

  it('gives a receiver that answers well but slowly as many as a quick one, while nobody else wants them', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 100, { takesMs: SLOW_MS + 500 });
    expect(share.freeOf(3_000).get('a')).toBe(SLOTS / 4);
  });

  it('evens out what slow receivers hold, and leaves to the others what one of them does not want', () => {
    const share = new FairShare(SLOTS);
    const hold = (key: string, count: number): void => {
      for (let n = 0; n < count; n++) share.claimed(key, 3_000);
    };
    for (const key of ['a', 'b', 'c', 'd']) run(share, key, 100, { takesMs: SLOW_MS + 1 });
    // Two of them hold the half of the slots that slow keys may have.
    hold('a', SLOTS / 4);
    hold('b', SLOTS / 4);
    expect(share.freeOf(3_000)).toEqual(new Map(['a', 'b', 'c', 'd'].map((key) => [key, 0])));
    for (let n = 0; n < 4; n++) share.givenBack('a', 3_000);
    share.claimed('c', 3_000);
    // A third one becomes active: 32 slots for three, so the larger ones get nothing until they are
    // level.
    const free = share.freeOf(3_000);
    expect([free.get('a'), free.get('b'), free.get('c')]).toEqual([0, 0, Math.floor(32 / 3) - 1]);
    // A key that needs only two slots leaves the rest to the others.
    run(share, 'c', 3, { healthy: false });
    expect(share.freeOf(3_000).get('c')).toBe(Math.max(0, 2 - 1));
    expect(share.freeOf(3_000).get('a')).toBe(15 - 12);
  });

  it('leaves half of the slots to the others, however many projects are slow', () => {
    const share = new FairShare(SLOTS);
    let inFlight = 0;
    for (let n = 0; n < 1000; n++) {
      const project = `slow-${n}`;
      run(share, project, 1, { healthy: false });
      if ((share.freeOf(10).get(project) ?? 0) > 0) {
        share.claimed(project, 10);
        share.started(project, 10);
        inFlight += 1;
      }
    }
    expect(inFlight).toBe(SLOTS / 2);
    expect(share.free).toBe(SLOTS / 2);
  });

  it('begins with few slots again after a pause, when the connections may be closed', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 100, { takesMs: 0 });
    expect(share.freeOf(SHARE_RESTART_MS).get('a')).toBe((2 * SLOTS) / 4);
    expect(share.freeOf(SHARE_RESTART_MS + 1).get('a')).toBe(2 * SHARE_START);
    run(share, 'b', 3, { healthy: false, takesMs: 0 });
    // Waiting does not increase the share of a receiver that failed.
    expect(share.freeOf(SHARE_RESTART_MS + 1).get('b')).toBe(1);
  });

  it('forgets a project without work after a while', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 1, { healthy: false });
    expect(share.freeOf(10).has('a')).toBe(true);
    expect(share.freeOf(100_000).has('a')).toBe(false);
  });

  it('claims nothing of a project that was put off until its time has come, and then one at a time', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 100);
    for (let n = 0; n < 3; n++) share.claimed('a', 1_000);
    for (let n = 0; n < 3; n++) share.started('a', 1_000);
    share.snooze('a', { startedMs: 1_000, nowMs: 1_001, afterMs: 50 });
    // Attempts that started with it end after it, and do not extend the pause.
    share.snooze('a', { startedMs: 1_000, nowMs: 1_001, afterMs: 100 });
    share.snooze('a', { startedMs: 1_000, nowMs: 1_002, afterMs: 150 });
    expect(share.free).toBe(SLOTS);
    expect(share.freeOf(1_050).get('a')).toBe(0);
    expect(share.freeOf(1_051).get('a')).toBe(1);
  });

  it('counts an answer from the begin of its attempt', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 100, { from: 10_000 });
    expect(share.freeOf(10_005).get('a')).toBe((2 * SLOTS) / 4);
  });

  it('takes a receiver for slow whose answer took longer than the bound, and not just as long', () => {
    const share = new FairShare(SLOTS);
    for (const key of ['a', 'b', 'c']) run(share, key, 100, { takesMs: SLOW_MS + 1 });
    run(share, 'd', 100, { takesMs: SLOW_MS });
    for (let n = 0; n < SLOTS / 4; n++) for (const key of ['a', 'b']) share.claimed(key, 3_000);
    // Two slow keys hold all slots of slow keys.
    expect(share.freeOf(3_000).get('c')).toBe(0);
    expect(share.freeOf(3_000).get('d')).toBe(SLOTS / 4);
  });

  it.each([
    ['slow', { takesMs: SLOW_MS + 1 }],
    ['failing', { healthy: false }],
  ])('gives a receiver that was %s the share of a quick one once it answers quickly again', (_, was) => {
    const share = new FairShare(SLOTS);
    for (const key of ['a', 'b', 'c']) run(share, key, 100, { takesMs: SLOW_MS + 1 });
    run(share, 'a', 1, was);
    for (let n = 0; n < SLOTS / 4; n++) for (const key of ['b', 'c']) share.claimed(key, 3_000);
    expect(share.freeOf(3_000).get('a')).toBe(0);
    run(share, 'a', SLOTS / 4, { from: 3_000 });
    expect(share.freeOf(3_010).get('a')).toBe((2 * SLOTS) / 4);
  });

  it('does not count what quick receivers hold against the slow ones', () => {
    const share = new FairShare(SLOTS);
    run(share, 'quick', 100);
    run(share, 'slow', 100, { takesMs: SLOW_MS + 1 });
    for (let n = 0; n < SLOTS / 2; n++) share.claimed('quick', 3_000);
    expect(share.freeOf(3_000).get('slow')).toBe(SLOTS / 4);
  });

  it('shares what is left by one that wants just its part', () => {
    const share = new FairShare(SLOTS);
    const third = Math.floor(SLOTS / 2 / 3);
    run(share, 'a', third - SHARE_START, { takesMs: SLOW_MS + 1 });
    for (const key of ['b', 'c']) run(share, key, 100, { takesMs: SLOW_MS + 1 });
    for (const key of ['a', 'b', 'c']) share.claimed(key, 3_000);
    expect([...share.freeOf(3_000).values()]).toEqual([third - 1, 11 - 1, 11 - 1]);
  });

  it('begins no attempt while all slots are taken, whatever the share', () => {
    const share = new FairShare(2);
    for (const key of ['a', 'b', 'c']) share.claimed(key, 0);
    for (const key of ['a', 'b']) share.started(key, 0);
    expect(share.mayStart('c')).toBe(false);
    share.ended('a', { startedMs: 0, nowMs: 5, healthy: true });
    expect(share.mayStart('c')).toBe(true);
  });

  it('puts off anew what is put off again as soon as its time has come', () => {
    const share = new FairShare(SLOTS);
    const snooze = (nowMs: number): void => {
      share.claimed('a', nowMs);
      share.started('a', nowMs);
      share.snooze('a', { startedMs: nowMs, nowMs, afterMs: 50 });
    };
    snooze(1_000);
    snooze(1_050);
    expect(share.freeOf(1_099).get('a')).toBe(0);
    expect(share.freeOf(1_100).get('a')).toBe(1);
  });

  it('forgets a project a minute after its last work, and never one that has some', () => {
    const share = new FairShare(SLOTS);
    run(share, 'a', 1, { takesMs: 0 });
    share.claimed('b', 0);
    expect(share.freeOf(60_000).has('a')).toBe(true);
    expect([...share.freeOf(60_001).keys()]).toEqual(['b']);
  });

  it('takes work on what was never claimed for a bug', () => {
    expect(() => new FairShare(SLOTS).started('a', 0)).toThrow('never claimed');
  });
});

describe(TopicSlots.name, () => {
  const topics = ['limited', 'free'];
  const setUp = (): TopicSlots => new TopicSlots((topic) => (topic === 'limited' ? 2 : undefined));

  it('tells what is left of a limit, and nothing of topics without one', () => {
    const slots = setUp();
    slots.claimed('limited');
    slots.claimed('free');
    expect(slots.freeOf(topics)).toEqual({ topics, freeOfTopic: new Map([['limited', 1]]) });
  });

  it('leaves a topic out that has its fill, until one of its messages has ended', () => {
    const slots = setUp();
    for (let n = 0; n < 3; n++) slots.claimed('limited');
    expect(slots.freeOf(topics)).toEqual({ topics: ['free'], freeOfTopic: new Map() });
    slots.ended('limited');
    expect(slots.freeOf(topics).topics).toEqual(['free']);
    slots.ended('limited');
    expect(slots.freeOf(topics)).toEqual({ topics, freeOfTopic: new Map([['limited', 1]]) });
  });
});
