import { describe, expect, it } from '@jest/globals';
import { placeInQueue, type Queue } from './queue-place.js';
import { TURN_MS } from './scan-limits.js';

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
