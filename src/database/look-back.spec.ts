import { describe, expect, it } from '@jest/globals';
import { readCursor } from '../shared/page.js';
import { uuidLowerBound } from '../shared/ids.js';
import { type LookedRow, pageOfLook } from './look-back.js';

const AT = [3, 2, 1].map((second) => new Date(Date.UTC(2026, 10, 23, 8, 0, second)));
const ids = AT.map((at) => uuidLowerBound(at));
const rowsWith = (lookedTo: string | null, found = ids): LookedRow<{ id: string }>[] =>
  found.map((id) => ({ id, lookedTo }));
const page = (rows: LookedRow<{ id: string }>[], limit: number) => {
  const { items, nextCursor, searchedTo } = pageOfLook(rows, limit, ({ id }) => id);
  return { items, next: readCursor(nextCursor ?? undefined, () => true), searchedTo };
};

describe(pageOfLook, () => {
  it('continues behind the last row that is shown where there is another', () => {
    expect(page(rowsWith(null), 2)).toEqual({ items: ids.slice(0, 2), next: ids[1], searchedTo: AT[1] });
  });

  it('ends with a full page behind which there is nothing', () => {
    expect(page(rowsWith(null), 3)).toEqual({ items: ids, next: null, searchedTo: null });
  });

  it('continues where the look ended that did not reach the end, also with nothing found', () => {
    const lookedTo = uuidLowerBound(new Date(0));
    const rest = { next: lookedTo, searchedTo: new Date(0) };
    expect(page(rowsWith(lookedTo), 3)).toEqual({ items: ids, ...rest });
    expect(page([{ id: null, lookedTo }], 3)).toEqual({ items: [], ...rest });
    expect(page([{ id: null, lookedTo: null }], 3)).toEqual({ items: [], next: null, searchedTo: null });
  });
});
