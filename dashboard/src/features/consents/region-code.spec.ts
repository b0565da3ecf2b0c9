import { describe, expect, it } from '@jest/globals';
import { regionCode } from './region-code.js';

describe('regionCode', () => {
  it.each([
    [{ region: 'DE' }, 'DE'],
    [{ region: 'us-ca' }, 'US-CA'],
    [{ region: 'XX' }, null],
    [{ region: 'ZZ' }, null],
    [{ region: 'Bavaria' }, null],
    [{ region: 49 }, null],
    [{}, null],
  ])('of %j is %s', (fields, expected) => expect(regionCode(fields)).toBe(expected));
});
