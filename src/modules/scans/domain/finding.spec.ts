import { describe, expect, it } from '@jest/globals';
import { countScan, type FindingLife, type Observation } from './finding.js';

const SCANS = ['a', 'b', 'c', 'd', 'e'];

/** The life after a series of scans. */
function live(observations: Observation[], life: FindingLife | null = null): FindingLife | null {
  return observations.reduce((before, each, at) => countScan(before, each, SCANS[at] ?? ''), life);
}

it('is new, then still there', () => {
  expect(live(['seen'])).toEqual({
    status: 'new',
    misses: 0,
    firstScanId: 'a',
    lastScanId: 'a',
    countedScanId: 'a',
  });
  expect(live(['seen', 'seen'])).toMatchObject({ status: 'open', firstScanId: 'a', lastScanId: 'b' });
});

it('is fixed after the second scan without it, and not after the first', () => {
  expect(live(['seen', 'missed'])).toMatchObject({ status: 'new', misses: 1, lastScanId: 'a' });
  expect(live(['seen', 'missed', 'missed'])).toMatchObject({ status: 'fixed', misses: 2 });
  expect(live(['seen', 'missed', 'seen', 'missed'])).toMatchObject({ status: 'open', misses: 1 });
});

it('does not count scans that did not test it', () => {
  expect(live(['seen', 'missed', 'untested', 'untested'])).toMatchObject({ status: 'new', misses: 1 });
  expect(live(['seen', 'missed', 'untested', 'missed'])).toMatchObject({ status: 'fixed' });
  expect(live(['missed', 'untested'])).toBeNull();
});

it('is new again where it returns', () => {
  expect(live(['seen', 'missed', 'missed', 'seen'])).toMatchObject({ status: 'new', firstScanId: 'd' });
});

it('stays accepted', () => {
  const accepted = { ...(live(['seen']) as FindingLife), status: 'accepted' as const };
  for (const each of ['seen', 'missed', 'untested'] as const) {
    const twice = countScan(countScan(accepted, each, 'b'), each, 'c');
    expect(twice?.status).toBe('accepted');
  }
});

describe('a scan that is counted again', () => {
  it.each<Observation[][]>([
    [['seen']],
    [['seen', 'seen']],
    [['seen', 'missed']],
    [['seen', 'missed', 'missed']],
  ])('changes nothing after %j', (observations) => {
    const life = live(observations);
    const last = observations.at(-1) ?? 'seen';
    expect(countScan(life, last, life?.countedScanId ?? '')).toEqual(life);
  });

  it('fixes at once what a decision settled, and undoes that with it', () => {
    const settled = countScan(live(['seen', 'seen']), 'missed', 'b');
    expect(settled).toMatchObject({ status: 'fixed', lastScanId: 'b' });
    expect(countScan(settled, 'missed', 'b')).toEqual(settled);
    expect(countScan(settled, 'seen', 'b')).toMatchObject({ status: 'open', misses: 0 });
    expect(countScan(countScan(live(['seen']), 'missed', 'a'), 'seen', 'a')).toMatchObject({ status: 'new' });
  });

  it('changes nothing where a later one was counted', () => {
    const life = live(['seen', 'missed']);
    expect(countScan(life, 'seen', 'a')).toBe(life);
  });
});
