import { describe, expect, it } from '@jest/globals';
import { FairSemaphore, type SemaphoreLimits } from './fair-semaphore.js';

const NEVER = new AbortController().signal;
const semaphore = (limits: Partial<SemaphoreLimits> = {}): FairSemaphore =>
  new FairSemaphore({
    permits: 3,
    permitsPerKey: 2,
    waitingPerKeyMax: 2,
    waitMs: 60_000,
    retryAfterSeconds: 5,
    ...limits,
  });

describe(FairSemaphore.name, () => {
  it('grants a key its share at once, and more only after a release', async () => {
    const shared = semaphore();
    const release = await shared.acquire('a', NEVER);
    await shared.acquire('a', NEVER);
    let entered = false;
    const third = shared.acquire('a', NEVER).then(() => (entered = true));
    await shared.acquire('b', NEVER);
    expect(entered).toBe(false);
    release();
    await third;
  });

  it('grants permits to waiting keys in turn, not in order of arrival', async () => {
    const shared = semaphore({ permits: 1, permitsPerKey: 1 });
    const order: string[] = [];
    const release = await shared.acquire('x', NEVER);
    const acquire = async (key: string, name: string): Promise<void> => {
      const releaseAgain = await shared.acquire(key, NEVER);
      order.push(name);
      releaseAgain();
    };
    const all = [acquire('a', 'a1'), acquire('a', 'a2'), acquire('b', 'b1'), acquire('b', 'b2')];
    release();
    await Promise.all(all);
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2']);
  });

  it('refuses with 429 if the share of the key is used up, with 503 if all permits are', async () => {
    const shared = semaphore({ permits: 2, waitingPerKeyMax: 0 });
    await shared.acquire('a', NEVER);
    await shared.acquire('a', NEVER);
    await expect(shared.acquire('a', NEVER)).rejects.toMatchObject({ code: 'too_many_requests' });
    await expect(shared.acquire('b', NEVER)).rejects.toMatchObject({
      code: 'overloaded',
      details: { retryAfterSeconds: 5 },
    });
  });

  it('limits how many callers wait, and for how long', async () => {
    const shared = semaphore({ permits: 1, permitsPerKey: 1, waitMs: 20 });
    await shared.acquire('a', NEVER);
    const waiting = [shared.acquire('a', NEVER), shared.acquire('a', NEVER)];
    await expect(shared.acquire('a', NEVER)).rejects.toMatchObject({ code: 'too_many_requests' });
    const ended = await Promise.allSettled(waiting);
    expect(ended.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  it('gives the turn of an aborted caller to the next one', async () => {
    const shared = semaphore({ permits: 1, permitsPerKey: 1 });
    const release = await shared.acquire('a', NEVER);
    const gone = new AbortController();
    const first = shared.acquire('b', gone.signal);
    const second = shared.acquire('b', NEVER);
    gone.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    release();
    (await second)();
    expect(await shared.acquire('c', NEVER)).toBeInstanceOf(Function);
    await expect(shared.acquire('d', gone.signal)).rejects.toThrow('gone');
  });

  it('releases a permit once, however often the function is called', async () => {
    const shared = semaphore({ permits: 1, permitsPerKey: 1, waitingPerKeyMax: 0 });
    const release = await shared.acquire('a', NEVER);
    release();
    release();
    await shared.acquire('a', NEVER);
    await expect(shared.acquire('b', NEVER)).rejects.toMatchObject({ code: 'overloaded' });
  });
});
