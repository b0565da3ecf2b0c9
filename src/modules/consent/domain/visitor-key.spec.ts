import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { readVisitorKeyHash, visitorKeyHash } from './visitor-key.js';

const TIME = '019aa9f2c3d4';
const RANDOM = '50d858e0985ecc7f60418aaf0cc5ab587f42c2570a884095a9e8ccacd0f6545c';
const KEY = TIME + RANDOM;

describe(visitorKeyHash.name, () => {
  it('is the time and SHA-256 of the 32 bytes, in either case of their digits', () => {
    const expected = TIME + createHash('sha256').update(Buffer.from(RANDOM, 'hex')).digest('hex');
    expect(visitorKeyHash(KEY).toString('hex')).toBe(expected);
    expect(visitorKeyHash(KEY.toUpperCase()).toString('hex')).toBe(expected);
  });

  it.each([
    ['nothing', ''],
    ['the random bytes alone', RANDOM],
    ['a digit too few', KEY.slice(1)],
    ['a digit too many', `${KEY}0`],
    ['something behind it', `${KEY}zz`],
    ['a line behind it', `${KEY}\n`],
  ])('of %s is nobody’s', (_, text) => {
    expect(visitorKeyHash(text)).toEqual(Buffer.alloc(38));
  });
});

describe(readVisitorKeyHash.name, () => {
  it('takes 76 digits in lower case, and nothing else', () => {
    expect(readVisitorKeyHash(KEY)).toEqual(Buffer.from(KEY, 'hex'));
    for (const other of [
      KEY.toUpperCase(),
      KEY.slice(1),
      `${KEY}0`,
      `${KEY}\n`,
      '',
      7,
      null,
      undefined,
      [KEY],
    ])
      expect(readVisitorKeyHash(other)).toBeNull();
  });
});
