import { expect, it } from '@jest/globals';
import { concludeScan, PAGE_REASONS, PAGE_SENTENCES, SCAN_REASONS, SCAN_SENTENCES } from './scan.js';

it.each([
  ['everything loaded', { failedPages: 0, stoppedBy: null, skippedUnverified: false }, 'completed', null],
  ['a page failed', { failedPages: 1, stoppedBy: null, skippedUnverified: true }, 'partial', 'pages_failed'],
  ['a limit', { failedPages: 1, stoppedBy: 'time_limit', skippedUnverified: false }, 'partial', 'time_limit'],
  ['no loader', { failedPages: 0, stoppedBy: null, skippedUnverified: true }, 'partial', 'unverified_host'],
] as const)('concludes after %s', (_, ending, status, reason) => {
  expect(concludeScan(ending)).toEqual({ status, reason });
});

it('has a sentence for each reason', () => {
  for (const reason of SCAN_REASONS) expect(SCAN_SENTENCES[reason]).toMatch(/^[A-Z].*\.$/);
  for (const reason of PAGE_REASONS) expect(PAGE_SENTENCES[reason]).toMatch(/^[A-Z].*\.$/);
});
