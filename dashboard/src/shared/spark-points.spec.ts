import { describe, expect, it } from '@jest/globals';
import { sparkPoints } from './spark-points.js';

describe('sparkPoints', () => {
  it('spreads values over the width, the largest at the top and 0 at the bottom', () =>
    expect(sparkPoints([0, 5, 10])).toEqual([
      [0, 30],
      [50, 16],
      [100, 2],
    ]));

  it('draws nothing but zeros at the bottom', () =>
    expect(sparkPoints([0, 0])).toEqual([
      [0, 30],
      [100, 30],
    ]));
});
