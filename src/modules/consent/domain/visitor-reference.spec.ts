import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keptFields, visitorHash, readVisitorKeyHash, visitorKeyHash } from './visitor-reference.js';

const salt = Buffer.alloc(32, 7);
const hashed = { field: 'customer', hashed: true, salt };

describe(visitorHash.name, () => {
  it('is of the salt and the value, in UTF-8', () => {
    const expected = createHash('sha256')
      .update(Buffer.concat([salt, Buffer.from('ünï')]))
      .digest();
    expect(visitorHash(salt, 'ünï')).toEqual(expected);
    expect(visitorHash(Buffer.alloc(32, 8), 'ünï')).not.toEqual(expected);
  });
});

describe(keptFields.name, () => {
  it('puts the hash in place of the value, and leaves the others', () => {
    const customer = `sha256:${visitorHash(salt, '42').toString('hex')}`;
    expect(keptFields({ customer: '42', plan: 'x' }, hashed)).toEqual({ customer, plan: 'x' });
    expect(keptFields({ customer: 42 }, hashed)).toEqual({ customer });
  });

  it.each([
    ['there are none', null, hashed],
    ['the field is missing', { plan: 'x' }, hashed],
    ['it is empty', { customer: '' }, hashed],
    ['it is an object', { customer: { id: '42' } }, hashed],
    ['it is null', { customer: null }, hashed],
    ['the value is kept', { customer: '42' }, { ...hashed, hashed: false }],
    ['no field is named', { customer: '42' }, { ...hashed, field: null }],
    ['there is no salt', { customer: '42' }, { ...hashed, salt: null }],
  ])('leaves the fields as they are where %s', (_, extra, reference) => {
    expect(keptFields(extra, reference)).toBe(extra);
  });
});

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
