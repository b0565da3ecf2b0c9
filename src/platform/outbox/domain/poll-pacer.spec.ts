import { describe, expect, it } from '@jest/globals';
import { POLLING_MS, BUSY_POLL_INTERVAL_MS, PollPacer } from './poll-pacer.js';

const TOOK_MS = 3;
const INTERVAL_MS = 20;
const look = (beganMs: number) => ({ beganMs, endedMs: beganMs + TOOK_MS, found: true, leftMore: false });
const empty = (beganMs: number) => ({ ...look(beganMs), found: false });
const found = (beganMs: number) => look(beganMs);
const full = (beganMs: number) => ({ ...look(beganMs), leftMore: true });

function after(...looks: ReturnType<typeof found>[]): PollPacer {
  const pace = new PollPacer(INTERVAL_MS);
  for (const look of looks) pace.record(look);
  return pace;
}

describe(PollPacer.name, () => {
  it('lets a look begin at once where nothing was found before', () => {
    expect(new PollPacer(INTERVAL_MS).waitMs(0)).toBe(0);
    expect(after(empty(1_000)).waitMs(1_000)).toBe(0);
    expect(after(found(900), empty(1_000)).waitMs(1_000)).toBe(0);
  });

  it('keeps polls that find work the interval apart', () => {
    expect(after(found(1_000)).waitMs(1_003)).toBe(17);
    expect(after(found(1_000)).waitMs(1_019)).toBe(1);
    expect(after(found(1_000)).waitMs(1_020)).toBe(0);
  });

  it('looks again sooner where more waits than could be claimed', () => {
    expect(after(full(1_000)).waitMs(1_000)).toBe(BUSY_POLL_INTERVAL_MS);
    expect(after(full(1_000)).waitMs(1_000 + BUSY_POLL_INTERVAL_MS)).toBe(0);
  });

  it('says that it is awake where looks that find work are 40 ms apart at most, and not for a lone message', () => {
    expect(after(found(1_000)).shouldAnnouncePolling(1_000)).toBe(false);
    expect(after(found(1_000), found(1_043)).shouldAnnouncePolling(1_043)).toBe(true);
    expect(after(found(1_000), found(1_044)).shouldAnnouncePolling(1_044)).toBe(false);
    expect(after(found(1_000), found(1_020), empty(1_040)).shouldAnnouncePolling(1_040)).toBe(false);
  });

  it('wakes other workers for what it leaves once it has announced that it polls, at intervals', () => {
    const pace = after(found(1_000), full(1_020));
    expect(pace.shouldWakeOthers(1_020)).toBe(false);
    expect(pace.shouldAnnouncePolling(1_020)).toBe(true);
    pace.announcedPolling(1_020);
    expect(pace.shouldWakeOthers(1_020)).toBe(true);
    pace.wokeOthers(1_020);
    pace.record(full(1_040));
    expect(pace.shouldWakeOthers(1_040)).toBe(false);
    expect(pace.shouldWakeOthers(1_020 + POLLING_MS / 2)).toBe(true);
    pace.record(found(1_060));
    expect(pace.shouldWakeOthers(1_060 + POLLING_MS)).toBe(false);
  });

  it('wakes other workers once after the announced time for what it leaves then', () => {
    const pace = after(found(1_000), full(1_020));
    pace.announcedPolling(1_020);
    pace.wokeOthers(1_020 + POLLING_MS);
    const last = 1_021 + POLLING_MS;
    pace.record(full(last));
    expect(pace.shouldWakeOthers(last)).toBe(true);
    pace.wokeOthers(last);
    pace.record(full(last + POLLING_MS));
    expect(pace.shouldWakeOthers(last + POLLING_MS)).toBe(false);
  });

  it('says it again before the time is over, and not each time', () => {
    const pace = after(found(1_000), found(1_020));
    pace.announcedPolling(1_020);
    pace.record(found(1_040));
    expect(pace.shouldAnnouncePolling(1_040)).toBe(false);
    expect(pace.shouldAnnouncePolling(1_020 + POLLING_MS / 2)).toBe(false);
    expect(pace.shouldAnnouncePolling(1_021 + POLLING_MS / 2)).toBe(true);
  });

  it('looks unasked for as long as it said it would, and once after', () => {
    const pace = after(found(1_000), found(1_020));
    expect(pace.nextPollInMs(1_020)).toBeNull();
    pace.announcedPolling(1_020);
    expect(pace.nextPollInMs(1_025)).toBe(15);
    pace.record(empty(1_020 + POLLING_MS));
    expect(pace.nextPollInMs(1_020 + POLLING_MS)).toBe(INTERVAL_MS);
    pace.record(empty(1_021 + POLLING_MS));
    expect(pace.nextPollInMs(1_021 + POLLING_MS)).toBeNull();
  });
});
