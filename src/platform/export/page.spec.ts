import { describe, expect, it } from '@jest/globals';
import { toPage, readCursor } from './page.js';

const ROWS = [{ id: 'c' }, { id: 'b' }, { id: 'a' }];
const page = (rows: { id: string }[], limit: number) =>
  toPage(
    rows,
    limit,
    ({ id }) => id,
    ({ id }) => id,
  );

describe(toPage, () => {
  it('says that there is more where a row was found behind it, and names the last row that is shown', () => {
    const { items, nextCursor } = page(ROWS, 2);
    expect(items).toEqual(['c', 'b']);
    expect(readCursor(nextCursor ?? undefined, () => true)).toBe('b');
  });

  it.each([
    ['full', ROWS, 3],
    ['not full', ROWS, 4],
    ['empty', [], 3],
  ])('is the last page where nothing is behind it: %s', (_, rows, limit) => {
    expect(page(rows, limit)).toEqual({ items: rows.map(({ id }) => id), nextCursor: null });
  });
});

describe(readCursor, () => {
  it('refuses what is not the key of a row, and reads nothing where there is no cursor', () => {
    expect(() => readCursor('x', () => false)).toThrow('not issued by this list');
    expect(readCursor(undefined, () => false)).toBeNull();
  });
});
