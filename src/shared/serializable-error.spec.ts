import { expect, it } from '@jest/globals';
import { toSerializable, errorOf } from './serializable-error.js';
import { isConnectionFailure } from './postgres-error.js';

/** As `postMessage` does it. */
const sent = (thrown: unknown): Error => errorOf(structuredClone(toSerializable(thrown)));

it('is what it was on the other thread, by its words, its code and its cause', () => {
  const cause = Object.assign(new Error('terminating connection'), { code: '57P01' });
  const error = sent(new TypeError('a statement failed', { cause }));
  expect(error).toMatchObject({ name: 'TypeError', message: 'a statement failed', cause: { code: '57P01' } });
  expect(error.stack).toContain('serializable-error.spec');
  expect(isConnectionFailure(error)).toBe(true);
});

it('makes no failure of the connection of another one', () => {
  expect(isConnectionFailure(sent(new Error('a bug')))).toBe(false);
  expect(sent('a word')).toMatchObject({ message: 'a word' });
});
