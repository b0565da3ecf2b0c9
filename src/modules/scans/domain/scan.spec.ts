import { expect, it } from '@jest/globals';
import { concludeScan, type PageReason, type PageStatus } from './scan.js';

const visited = { status: 'visited', reason: null, depth: 0 } as const;
const page = (status: PageStatus, reason: PageReason, depth = 1) => ({ status, reason, depth });

it.each([
  ['all pages were visited', [visited], null, null],
  ['pages were left out by their template', [visited, page('skipped', 'same_template')], null, null],
  ['a page failed', [visited, page('failed', 'timeout')], null, 'pages_failed'],
  ['a host is not verified', [visited, page('skipped', 'unverified_host')], null, 'unverified_host'],
  ['robots.txt denies a link', [visited, page('skipped', 'robots_denied')], null, null],
  ['robots.txt denies a start address', [page('skipped', 'robots_denied', 0)], null, 'robots_denied'],
  ['robots.txt was not returned', [page('skipped', 'robots_unavailable', 0)], null, 'robots_denied'],
  ['time ended it', [visited, page('failed', 'timeout')], 'time_limit', 'time_limit'],
] as const)('a scan in which %s', (_, pages, stoppedBy, reason) => {
  expect(concludeScan({ pages, stoppedBy, isUnverified: false })).toEqual({
    status: reason === null ? 'completed' : 'partial',
    reason,
  });
});

it('ends as partial where no page was on a verified host', () => {
  const ending = { stoppedBy: null, isUnverified: true };
  expect(concludeScan({ ...ending, pages: [visited] })).toEqual({
    status: 'partial',
    reason: 'unverified_host',
  });
});
