import { describe, expect, it } from '@jest/globals';
import type { AnalyticsResponse, SiteAnalyticsResponse } from '../../client/types.gen';
import { reportCsv } from './report-csv.js';

const counts = (records: number) => ({
  records,
  asked: records,
  analytics: 0,
  marketing: 0,
  preferences: 0,
  fullAccept: 0,
  rejection: 0,
  withdrawal: 0,
  rates: {
    analytics: 0.5,
    marketing: null,
    preferences: null,
    fullAccept: 0.25,
    rejection: null,
    withdrawal: null,
  },
});

function view(records: number, actions: Record<string, number>): AnalyticsResponse {
  return {
    from: '2026-11-23T00:00:00.000Z',
    to: '2026-11-24T04:37:00.000Z',
    interval: 'day',
    totals: counts(records),
    series: [{ at: '2026-11-23T00:00:00.000Z', ...counts(records) }],
    byAction: Object.entries(actions).map(([action, each]) => ({ action, ...counts(each) })),
    byHostname: [],
    byRegion: [],
    byLanguage: [],
    otherActions: counts(0),
    otherHostnames: counts(0),
    otherRegions: counts(0),
    otherLanguages: counts(0),
  } as unknown as AnalyticsResponse;
}

const linesOf = (csv: string): string[][] =>
  csv
    .trimEnd()
    .split('\r\n')
    .map((line) => line.slice(1, -1).split('","'));

describe(reportCsv.name, () => {
  const consents = { current: view(4, { custom: 3, '=1+1': 1 }), former: view(8, { custom: 8 }) };

  it('has the totals, each interval, and each name beside the period before', () => {
    const [head = [], ...rows] = linesOf(reportCsv(consents, null));
    const cellsOf = (row: string[]) => Object.fromEntries(head.map((column, at) => [column, row[at]]));
    expect(rows.map(([group, name]) => [group, name])).toEqual([
      ['total', '2026-11-23T00:00:00.000Z / 2026-11-24T04:37:00.000Z'],
      ['day', '2026-11-23T00:00:00.000Z'],
      ['action', 'custom'],
      ['action', "'=1+1"],
    ]);
    expect(cellsOf(rows[0] ?? [])).toMatchObject({ records: '4', recordsBefore: '8', fullAccept: '0.25' });
    expect(cellsOf(rows[0] ?? [])).toMatchObject({ optIn: '1', analytics: '0.5', marketing: '', visits: '' });
    expect(cellsOf(rows[2] ?? [])).toMatchObject({ records: '3', recordsBefore: '8' });
  });

  it('has visits where they are counted', () => {
    const site = (visits: number): SiteAnalyticsResponse => {
      const each = { visits, shown: 2, chosen: 1, ignored: 1, interactionRate: 0.5 };
      return {
        totals: each,
        byHostname: [{ name: 'www.example.com', ...each }],
        byRegion: [],
        byLanguage: [],
        byDevice: [],
      } as unknown as SiteAnalyticsResponse;
    };
    const lines = linesOf(reportCsv(consents, { current: site(7), former: site(5), finished: site(6) }));
    const [visitsBefore, visits] = ['visitsBefore', 'visits'].map(
      (column) => lines[0]?.indexOf(column) ?? -1,
    );
    const host = lines.find(([group]) => group === 'visits byHostname') ?? [];
    expect([host[1], host[visits ?? -1], host[visitsBefore ?? -1]]).toEqual(['www.example.com', '7', '5']);
    expect(new Set(lines.map(({ length }) => length)).size).toBe(1);
  });

  it.each(['=1+1', '+1', '-1', '@x', '\t=1', '＝1'])('writes %j so that no spreadsheet runs it', (name) => {
    const report = { current: view(1, { [name]: 1 }), former: view(0, {}) };
    expect(reportCsv(report, null)).toContain(`"'${name}"`);
  });

  it('doubles quotation marks', () => {
    const report = { current: view(1, { 'a"b': 1 }), former: view(0, {}) };
    expect(reportCsv(report, null)).toContain('"action","a""b"');
  });
});
