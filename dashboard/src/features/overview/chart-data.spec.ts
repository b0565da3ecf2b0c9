import { describe, expect, it } from '@jest/globals';
import { chartData } from './chart-data.js';

describe('chartData', () => {
  it('keeps the running day apart', () => {
    const days = [
      { at: '2026-11-23T00:00:00Z', records: 9, asked: 8, optedIn: 7, recordsBefore: 6 },
      { at: '2026-11-24T00:00:00Z', records: 2, asked: 2, optedIn: 1, recordsBefore: 5 },
    ];
    const [first, second] = days.map(({ at }) => Date.parse(at) / 1_000);
    expect(chartData(days)).toEqual([
      [first, second],
      [9, null],
      [7, null],
      [6, 5],
      [null, 2],
      [null, 1],
    ]);
  });

  it('draws no earlier days where there were no records', () => {
    const day = { at: '2026-11-24T00:00:00Z', records: 2, asked: 2, optedIn: 1, recordsBefore: 0 };
    expect(chartData([day, day])[3]).toEqual([null, null]);
  });
});
