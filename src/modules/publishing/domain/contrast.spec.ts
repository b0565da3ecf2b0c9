import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION } from './configuration.js';
import { BANNER_BACKGROUNDS, CONTRAST_MIN, contrastOf } from './contrast.js';

describe('contrastOf (WCAG 2.2)', () => {
  it.each([
    ['#000000', '#ffffff', 21],
    ['#ffffff', '#ffffff', 1],
    // The grey on white that just passes, and its neighbour that just does not.
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#FFFFFF', 4.48],
    ['#0000ff', '#000000', 2.44],
  ])('of %s and %s is %d, in either order', (one, other, contrast) => {
    expect(contrastOf(one, other)).toBeCloseTo(contrast, 2);
    expect(contrastOf(other, one)).toBe(contrastOf(one, other));
  });

  it('is enough in the colours that a project has by default', () => {
    const { accent, accentDark } = DEFAULT_CONFIGURATION.banner;
    expect(contrastOf(accent, BANNER_BACKGROUNDS.light)).toBeGreaterThan(CONTRAST_MIN);
    expect(contrastOf(accentDark, BANNER_BACKGROUNDS.dark)).toBeGreaterThan(CONTRAST_MIN);
  });
});
