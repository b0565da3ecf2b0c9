import { describe, expect, it } from '@jest/globals';
import type { ConsentCountsResponse } from '../../client/types.gen';
import { rateOf } from './metrics.js';

const counts = (fields: Partial<ConsentCountsResponse>) =>
  ({
    asked: 0,
    rejection: 0,
    withdrawal: 0,
    rates: { fullAccept: 0.25, marketing: null },
    ...fields,
  }) as ConsentCountsResponse;

describe('rateOf', () => {
  it('counts those as opt-in who allowed at least one category', () => {
    expect(rateOf(counts({ asked: 10, rejection: 3, withdrawal: 2 }), 'optIn')).toBe(0.5);
    expect(rateOf(counts({ asked: 10 }), 'optIn')).toBe(1);
    expect(rateOf(counts({ asked: 1, rejection: 1 }), 'optIn')).toBe(0);
  });

  it('has none where nobody was asked', () => {
    expect(rateOf(counts({}), 'optIn')).toBeNull();
    expect(rateOf(counts({}), 'marketing')).toBeNull();
  });

  it('takes the others from the API', () => {
    expect(rateOf(counts({ asked: 4 }), 'fullAccept')).toBe(0.25);
  });
});
