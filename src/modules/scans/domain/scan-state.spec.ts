import { expect, it } from '@jest/globals';
import { statesToSkip } from './scan-state.js';

it('leaves out the withdrawal with the acceptance, and nothing else', () => {
  expect(statesToSkip([])).toEqual([]);
  expect(statesToSkip(['accept'])).toEqual(['accept', 'withdraw']);
  expect(statesToSkip(['withdraw'])).toEqual(['withdraw']);
  expect(statesToSkip(['signal', 'reject', 'signal'])).toEqual(['reject', 'signal']);
});
