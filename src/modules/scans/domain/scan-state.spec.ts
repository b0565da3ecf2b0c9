import { expect, it } from '@jest/globals';
import { STATE_REASONS, STATE_SENTENCES, statesToSkip } from './scan-state.js';

it('leaves out the withdrawal with the acceptance, and nothing else', () => {
  expect(statesToSkip([])).toEqual([]);
  expect(statesToSkip(['accept'])).toEqual(['accept', 'withdraw']);
  expect(statesToSkip(['withdraw'])).toEqual(['withdraw']);
  expect(statesToSkip(['signal', 'reject', 'signal'])).toEqual(['reject', 'signal']);
});

it('has a sentence for each reason', () => {
  for (const reason of STATE_REASONS) expect(STATE_SENTENCES[reason]).toMatch(/^[A-Z].*\.$/);
});
