import { describe, expect, it } from '@jest/globals';
import { Semaphore } from './semaphore.js';

describe(Semaphore.name, () => {
  it('gives so many slots at once, the others in their order, and none where too many wait', async () => {
    const semaphore = new Semaphore(2, 4);
    const order: string[] = [];
    const slots = ['a', 'b', 'c', 'd'].map((name) => {
      const slot = semaphore.acquire();
      void slot?.free.then(() => order.push(name));
      return slot;
    });
    expect(semaphore.acquire()).toBeNull();
    await Promise.resolve();
    expect(order).toEqual(['a', 'b']);
    slots[0]?.release();
    await Promise.resolve();
    expect(order).toEqual(['a', 'b', 'c']);
    expect(semaphore.acquire()).not.toBeNull();
    expect(semaphore.acquire()).toBeNull();
  });

  it('is free again once all that had a slot have given it back', async () => {
    const semaphore = new Semaphore(1, 1);
    for (let n = 0; n < 3; n += 1) {
      const slot = semaphore.acquire();
      expect(semaphore.acquire()).toBeNull();
      await slot?.free;
      slot?.release();
    }
  });

  it('gives no slot twice, however many were given back', () => {
    const semaphore = new Semaphore(1, 2);
    semaphore.acquire()?.release();
    const [first, second] = [semaphore.acquire(), semaphore.acquire()];
    expect([first, second]).not.toContain(null);
    expect(semaphore.acquire()).toBeNull();
    first?.release();
    second?.release();
    expect(semaphore.acquire()).not.toBeNull();
  });
});
