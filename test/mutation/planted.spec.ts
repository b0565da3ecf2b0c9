import { describe, expect, it } from '@jest/globals';
import { mutatedSources } from '../support/rules/mutation.js';
import { PLANTED } from './planted.js';

describe('planted defects', () => {
  it.each(PLANTED)('$name: fits the sources', ({ mutations }) => {
    expect(mutatedSources(mutations).size).toBeGreaterThan(0);
  });
});
