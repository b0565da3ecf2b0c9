import { describe, expect, it } from '@jest/globals';
import { readCursor } from '../export/page.js';
import { uuidLowerBound } from '../identity/ids.js';
import { type ScannedRow, toScannedPage } from './bounded-scan.js';

const AT = [3, 2, 1].map((second) => new Date(Date.UTC(2026, 10, 23, 8, 0, second)));
const ids = AT.map((at) => uuidLowerBound(at));
const rowsWith = (scannedTo: string | null, found = ids): ScannedRow<{ id: string }>[] =>
  found.map((id) => ({ id, scannedTo }));
const page = (rows: ScannedRow<{ id: string }>[], limit: number) => {
  const { items, nextCursor, searchedTo } = toScannedPage(rows, limit, ({ id }) => id);
  return { items, next: readCursor(nextCursor ?? undefined, () => true), searchedTo };
};

describe(toScannedPage, () => {
  it('continues behind the last row that is shown where there is another', () => {
    expect(page(rowsWith(null), 2)).toEqual({ items: ids.slice(0, 2), next: ids[1], searchedTo: AT[1] });
  });

  it('ends with a full page behind which there is nothing', () => {
    expect(page(rowsWith(null), 3)).toEqual({ items: ids, next: null, searchedTo: null });
  });

  it('continues where the scan ended that did not reach the end, also with nothing found', () => {
    const scannedTo = uuidLowerBound(new Date(0));
    const rest = { next: scannedTo, searchedTo: new Date(0) };
    expect(page(rowsWith(scannedTo), 3)).toEqual({ items: ids, ...rest });
    expect(page([{ id: null, scannedTo }], 3)).toEqual({ items: [], ...rest });
    expect(page([{ id: null, scannedTo: null }], 3)).toEqual({ items: [], next: null, searchedTo: null });
  });
});
