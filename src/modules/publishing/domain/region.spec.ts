import { describe, expect, it } from '@jest/globals';
import { isEu, regionOf, subdividedRegionOf, UNKNOWN_REGION } from './region.js';

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

describe('subdividedRegionOf', () => {
  it.each([
    ['US', 'ca', 'US-CA'],
    ['FR', '75C', 'FR-75C'],
    ['US', undefined, 'US'],
    ['US', 'California', 'US'],
    ['US', ['CA', 'NV'], 'US'],
    ['T1', 'CA', UNKNOWN_REGION],
  ])('takes %j and %j for %s', (country, subdivision, region) => {
    expect(subdividedRegionOf(country, subdivision)).toBe(region);
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
    ['DE-BY', true],
    ['US-DE', false],
  ])('design §6.6: %s is %j', (region, expected) => {
    expect(isEu(region)).toBe(expected);
  });
});
