import { expect, it } from '@jest/globals';
import { toSerializable, fromSerializable } from './serializable-error.js';

/** Copies like `postMessage`. */
const sent = (thrown: unknown): Error => fromSerializable(structuredClone(toSerializable(thrown)));

it('is what it was on the other thread, by its words, its code and its cause', () => {
  const cause = Object.assign(new Error('terminating connection'), { code: '57P01' });
  const error = sent(new TypeError('a statement failed', { cause }));
  expect(error).toMatchObject({ name: 'TypeError', message: 'a statement failed', cause: { code: '57P01' } });
  expect(error.stack).toContain('serializable-error.spec');
});

it('keeps the message of a value that is no error', () => {
  expect(sent('a word')).toMatchObject({ message: 'a word' });
});
