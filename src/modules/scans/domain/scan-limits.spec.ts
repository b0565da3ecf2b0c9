import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT_WORK_MS_PER_DAY,
  DAY_MS,
  mayVisitHost,
  pagesPerScan,
  placeInQueue,
  type Queue,
  scansPerDay,
  TURN_MS,
  waitForScanMs,
  waitForWorkMs,
} from './scan-limits.js';

it.each([
  ['lite', 30, 1],
  ['pro', 100, 5],
  ['business', 350, 20],
  ['enterprise', 1000, 50],
] as const)('%s scans %d pages, %d times a day', (tier, pages, scans) => {
  expect(pagesPerScan(tier)).toBe(pages);
  expect(scansPerDay(tier)).toBe(scans);
});

describe('waitForScanMs', () => {
  const now = new Date('2026-11-24T12:00:00Z');
  const ago = (ms: number): Date => new Date(now.getTime() - ms);

  it('allows as many scans as the limit says and not one more', () => {
    expect(waitForScanMs([], { limit: 1, now })).toBe(0);
    expect(waitForScanMs([ago(1000)], { limit: 1, now })).toBe(DAY_MS - 1000);
    expect(waitForScanMs([ago(2000)], { limit: 2, now })).toBe(0);
  });

  it('waits for the scan that makes room', () => {
    expect(waitForScanMs([ago(3000), ago(2000), ago(1000)], { limit: 2, now })).toBe(DAY_MS - 2000);
  });

  it('allows the next one exactly a day later', () => {
    expect(waitForScanMs([ago(DAY_MS)], { limit: 1, now })).toBe(0);
    expect(waitForScanMs([ago(DAY_MS - 1)], { limit: 1, now })).toBe(1);
  });
});

describe('waitForWorkMs', () => {
  const HOUR_MS = 3_600_000;
  const now = new Date('2026-11-24T12:30:00Z');
  const hour = (ago: number, workedMs: number) => ({
    hour: new Date(Date.parse('2026-11-24T12:00:00Z') - ago * HOUR_MS),
    workedMs,
  });

  it('waits where the day is used up, and not a millisecond before', () => {
    expect(waitForWorkMs([], now)).toBe(0);
    expect(waitForWorkMs([hour(3, ACCOUNT_WORK_MS_PER_DAY - 1)], now)).toBe(0);
    expect(waitForWorkMs([hour(3, ACCOUNT_WORK_MS_PER_DAY)], now)).toBe(20.5 * HOUR_MS);
  });

  it('waits for the hour that gives time back', () => {
    const most = hour(20, ACCOUNT_WORK_MS_PER_DAY - 10);
    expect(waitForWorkMs([most, hour(1, 10)], now)).toBe(3.5 * HOUR_MS);
    expect(waitForWorkMs([most, hour(1, ACCOUNT_WORK_MS_PER_DAY)], now)).toBe(22.5 * HOUR_MS);
  });
});

it('visits one page a day of a host that is not verified', () => {
  expect(mayVisitHost({ verified: false, pagesToday: 0 })).toBe(true);
  expect(mayVisitHost({ verified: false, pagesToday: 1 })).toBe(false);
  expect(mayVisitHost({ verified: true, pagesToday: 300 })).toBe(true);
});

const SCAN_MS = 60_000;
const queue: Queue = {
  ownAhead: 0,
  others: [],
  runningMs: [],
  scanners: 1,
  scanMs: SCAN_MS,
  mayStart: true,
};

describe('the position', () => {
  it.each([
    ['nobody waits', {}, 1],
    ['an account whose turn is later has a hundred scans', { others: [{ waiting: 100, isFirst: false }] }, 1],
    ['an account whose turn is first has a hundred scans', { others: [{ waiting: 100, isFirst: true }] }, 2],
    [
      'own scans are ahead, each with a turn of the others in between',
      {
        ownAhead: 2,
        others: [
          { waiting: 100, isFirst: false },
          { waiting: 100, isFirst: true },
        ],
      },
      8,
    ],
    ['others run out of scans', { ownAhead: 5, others: [{ waiting: 2, isFirst: true }] }, 8],
  ] as const)('where %s', (_, ahead, position) => {
    expect(placeInQueue({ ...queue, ...ahead }).position).toBe(position);
  });
});

describe('the estimate', () => {
  it.each([
    ['a scanner is free', {}, 0],
    ['the scanner works on a scan', { runningMs: [20_000] }, 40],
    ['the scanner works on a scan that takes long', { runningMs: [SCAN_MS * 2] }, 0],
    ['scans of others yield', { scanMs: TURN_MS * 3, runningMs: [0] }, 120],
    ['own scans are finished first', { ownAhead: 1, scanMs: TURN_MS * 3 }, 360],
    ['two scanners share the work', { scanners: 2, ownAhead: 3, runningMs: [0, 0] }, 150],
    ['no scan was measured', { scanMs: null }, null],
    ['no scanner runs', { scanners: 0 }, null],
    ['the account has no time left', { mayStart: false }, null],
  ] as const)('where %s', (_, given, seconds) => {
    expect(placeInQueue({ ...queue, ...given }).startsInSeconds).toBe(seconds);
  });
});
