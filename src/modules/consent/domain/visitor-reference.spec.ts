import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { keptFields, visitorHash } from './visitor-reference.js';

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
