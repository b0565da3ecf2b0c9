import { describe, expect, it } from '@jest/globals';
import type { AnalyticsResponse, ConsentCountsResponse } from '../../client/types.gen';
import { groupedRows } from './grouped.js';

const counts = (records: number): ConsentCountsResponse => ({ records }) as ConsentCountsResponse;

function view(regions: Record<string, number>, others = 0): AnalyticsResponse {
  const byRegion = Object.entries(regions).map(([region, records]) => ({
    region: region === '' ? null : region,
    ...counts(records),
  }));
  return { byRegion, otherRegions: counts(others) } as AnalyticsResponse;
}

const rowsOf = (current: AnalyticsResponse, former: AnalyticsResponse) =>
  groupedRows('region', { current, former }).map(({ key, isOthers, counts: { records }, before }) => [
    isOthers ? 'others' : key,
    records,
    before,
  ]);

describe('groupedRows', () => {
  it('puts each name beside the period before, and those last that only it had', () => {
    expect(rowsOf(view({ 'US-CA': 5, FR: 3, '': 1 }), view({ FR: 7, DE: 2, 'US-CA': 1 }))).toEqual([
      ['US-CA', 5, 1],
      ['FR', 3, 7],
      [null, 1, 0],
      ['DE', 0, 2],
    ]);
  });

  it('does not say none where it may be one of the others', () => {
    expect(rowsOf(view({ FR: 3 }), view({ DE: 2 }, 4))).toEqual([
      ['FR', 3, null],
      ['DE', 0, 2],
      ['others', 0, 4],
    ]);
    expect(rowsOf(view({ FR: 3 }, 1), view({ DE: 2 }))).toEqual([
      ['FR', 3, 0],
      ['others', 1, 0],
    ]);
  });

  it('has nothing to show where neither period has a record', () => {
    expect(rowsOf(view({}), view({}))).toEqual([]);
  });
});
