import { describe, expect, it } from '@jest/globals';
import { isEu, regionOf, UNKNOWN_REGION } from './region.js';

describe('regionOf', () => {
  it.each([
    ['DE', 'DE'],
    [' us ', 'US'],
    ['XX', UNKNOWN_REGION],
    ['T1', UNKNOWN_REGION],
    ['EU', UNKNOWN_REGION],
    ['FR, DE', UNKNOWN_REGION],
    ['DEU', UNKNOWN_REGION],
    ['', UNKNOWN_REGION],
    [undefined, UNKNOWN_REGION],
  ])('takes the header %j for %s', (header, region) => {
    expect(regionOf(header)).toBe(region);
  });
});

describe('isEu', () => {
  it.each([
    ['DE', true],
    ['NO', true],
    ['RE', true],
    [UNKNOWN_REGION, true],
    ['GB', false],
    ['US', false],
  ])('design §6.6: %s is %j', (region, expected) => {
    expect(isEu(region)).toBe(expected);
  });
});
