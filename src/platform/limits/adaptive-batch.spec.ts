import { describe, expect, it } from '@jest/globals';
import { AdaptiveBatch, type BatchWork } from './adaptive-batch.js';

interface Entry {
  id: string;
  key: string;
}

class Unreachable extends Error {}

/** The written batches; a test ends each write itself. */
function setUp(overrides: Partial<BatchWork<Entry>> = {}): {
  batch: AdaptiveBatch<Entry>;
  written: string[][];
  refused: string[];
  ends: ((error?: Error) => void)[];
} {
  const written: string[][] = [];
  const refused: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const batch = new AdaptiveBatch<Entry>({
    batchesMax: 1,
    entriesMax: 3,
    write: (entries) => {
      written.push(entries.map(({ id }) => id));
      return new Promise((resolve, reject) => {
        ends.push((error) => (error ? reject(error) : resolve()));
      });
    },
    refuse: ({ id }) => {
      refused.push(id);
      return Promise.resolve();
    },
    isUnreachable: (error) => error instanceof Unreachable,
    unreachable: () => {},
    reconnectPauseMs: 1,
    isPatient: () => true,
    ...overrides,
  });
  return { batch, written, refused, ends };
}

const entry = (id: string, key = id): Entry => ({ id, key });
/** Of 5 ms each: far longer than any pause here. */
const TURNS_MAX = 400;
const turn = (): Promise<void> => new Promise((done) => setTimeout(done, 5));

describe(AdaptiveBatch.name, () => {
  it('writes a lone entry at once, and what came meanwhile together, in order, so many at most', async () => {
    const { batch, written, ends } = setUp();
    for (const id of ['a', 'b', 'c', 'd', 'e']) batch.add(entry(id));
    expect(written).toEqual([['a']]);
    expect(batch.waitingCount).toBe(4);
    ends[0]?.();
    await turn();
    ends[1]?.();
    await turn();
    expect(written).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
    expect(batch.waitingCount).toBe(0);
  });

  it('begins anew with what comes in the moment in which the last batch has ended', async () => {
    const { batch, written, ends } = setUp({ batchesMax: 2 });
    batch.add(entry('a'));
    batch.add(entry('b'));
    ends[0]?.();
    ends[1]?.();
    // A few microtasks later, in any state of the loops.
    for (let n = 0; n < 10; n++) {
      await Promise.resolve();
      batch.add(entry(`c${n}`));
      ends.at(-1)?.();
    }
    for (let n = 0; n < 20; n++) {
      for (const end of ends) end();
      await turn();
    }
    expect(written.flat().toSorted()).toEqual(['a', 'b', ...Array.from({ length: 10 }, (_, n) => `c${n}`)]);
  });

  it('has no two entries of one key in a batch', async () => {
    const { batch, written, ends } = setUp({ keyOf: ({ key }) => key });
    for (const each of [entry('a'), entry('b', 'x'), entry('c', 'x'), entry('d')]) batch.add(each);
    ends[0]?.();
    await turn();
    ends[1]?.();
    await turn();
    expect(written).toEqual([['a'], ['b', 'd'], ['c']]);
  });

  it('writes the entries of a spoilt batch alone, and refuses the bad one', async () => {
    const { batch, written, refused, ends } = setUp();
    for (const id of ['a', 'b', 'c']) batch.add(entry(id));
    ends[0]?.();
    await turn();
    ends[1]?.(new Error('spoilt'));
    await turn();
    ends[2]?.(new Error('spoilt'));
    await turn();
    ends[3]?.();
    await turn();
    expect(written).toEqual([['a'], ['b', 'c'], ['b'], ['c']]);
    expect(refused).toEqual(['b']);
  });

  it('writes a batch again once the database is back, without those that have no patience left', async () => {
    const { batch, written, refused, ends } = setUp({ isPatient: ({ id }) => id !== 'b' });
    for (const id of ['a', 'b', 'c']) batch.add(entry(id));
    ends[0]?.();
    await turn();
    ends[1]?.(new Unreachable());
    // The pause is a separate timer, which a busy machine may fire late.
    for (let turns = 0; turns < TURNS_MAX && written.length < 3; turns++) await turn();
    expect(written).toEqual([['a'], ['b', 'c'], ['c']]);
    expect(refused).toEqual([]);
  });

  describe('that gathers', () => {
    /** Far more than a turn takes on a busy machine. */
    const GATHER_MS = 400;
    const gathering = () => setUp({ batchesMax: 2, gather: { ms: GATHER_MS, enough: 2 } });
    const gathered = (): Promise<void> => new Promise((done) => setTimeout(done, 2 * GATHER_MS));

    it('writes a lone entry at once, and one that comes soon after a batch when its time has come', async () => {
      const { batch, written, ends } = gathering();
      batch.add(entry('a'));
      expect(written).toEqual([['a']]);
      ends[0]?.();
      await turn();
      batch.add(entry('b'));
      await turn();
      expect(written).toEqual([['a']]);
      await gathered();
      expect(written).toEqual([['a'], ['b']]);
      ends[1]?.();
      await gathered();
      batch.add(entry('c'));
      expect(written).toEqual([['a'], ['b'], ['c']]);
    });

    it('lets nothing wait that has company enough', async () => {
      const { batch, written, ends } = gathering();
      for (const id of ['a', 'b', 'c']) batch.add(entry(id));
      expect(written).toEqual([['a'], ['b', 'c']]);
      batch.add(entry('d'));
      for (const end of ends) end();
      await turn();
      expect(written).toEqual([['a'], ['b', 'c']]);
      batch.add(entry('e'));
      expect(written).toEqual([['a'], ['b', 'c'], ['d', 'e']]);
      ends[2]?.();
      await gathered();
      expect(written).toHaveLength(3);
    });
  });
});
