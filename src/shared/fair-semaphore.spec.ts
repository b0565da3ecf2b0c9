import { describe, expect, it } from '@jest/globals';
import { FairSemaphore, type SemaphoreLimits } from './fair-semaphore.js';

const NEVER = new AbortController().signal;
const places = (limits: Partial<SemaphoreLimits> = {}): FairSemaphore =>
  new FairSemaphore({
    places: 3,
    placesPerKey: 2,
    waitingPerKeyMax: 2,
    waitMs: 60_000,
    retryAfterSeconds: 5,
    ...limits,
  });

describe(FairSemaphore.name, () => {
  it('lets a key have its share at once, and the next one of it only when one has left', async () => {
    const shared = places();
    const leave = await shared.take('a', NEVER);
    await shared.take('a', NEVER);
    let entered = false;
    const third = shared.take('a', NEVER).then(() => (entered = true));
    await shared.take('b', NEVER);
    expect(entered).toBe(false);
    leave();
    await third;
  });

  it('lets those that wait in by turns of the keys, whoever came first', async () => {
    const shared = places({ places: 1, placesPerKey: 1 });
    const order: string[] = [];
    const leave = await shared.take('x', NEVER);
    const enter = async (key: string, name: string): Promise<void> => {
      const leaveAgain = await shared.take(key, NEVER);
      order.push(name);
      leaveAgain();
    };
    const all = [enter('a', 'a1'), enter('a', 'a2'), enter('b', 'b1'), enter('b', 'b2')];
    leave();
    await Promise.all(all);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('refuses with 429 where the share is the reason, with 503 where the places of all are', async () => {
    const shared = places({ places: 2, waitingPerKeyMax: 0 });
    await shared.take('a', NEVER);
    await shared.take('a', NEVER);
    await expect(shared.take('a', NEVER)).rejects.toMatchObject({ code: 'too_many_requests' });
    await expect(shared.take('b', NEVER)).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfterSeconds: 5 },
    });
  });

  it('lets a bounded number wait, and none for longer than it may', async () => {
    const shared = places({ places: 1, placesPerKey: 1, waitMs: 20 });
    await shared.take('a', NEVER);
    const waiting = [shared.take('a', NEVER), shared.take('a', NEVER)];
    await expect(shared.take('a', NEVER)).rejects.toMatchObject({ code: 'too_many_requests' });
    const ended = await Promise.allSettled(waiting);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('gives the turn of one that went away to the next', async () => {
    const shared = places({ places: 1, placesPerKey: 1 });
    const leave = await shared.take('a', NEVER);
    const gone = new AbortController();
    const first = shared.take('b', gone.signal);
    const second = shared.take('b', NEVER);
    gone.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    leave();
    (await second)();
    expect(await shared.take('c', NEVER)).toBeInstanceOf(Function);
    await expect(shared.take('d', gone.signal)).rejects.toThrow('gone');
  });

  it('takes a place back once, however often it is told', async () => {
    const shared = places({ places: 1, placesPerKey: 1, waitingPerKeyMax: 0 });
    const leave = await shared.take('a', NEVER);
    leave();
    leave();
    await shared.take('a', NEVER);
    await expect(shared.take('b', NEVER)).rejects.toMatchObject({ code: 'overloaded' });
  });
});
