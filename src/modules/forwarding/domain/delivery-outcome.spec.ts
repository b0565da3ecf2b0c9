import { describe, expect, it } from '@jest/globals';
import { skipHealthSignal } from './delivery-outcome.js';

describe(skipHealthSignal.name, () => {
  it('tells a project that forwards no more from a record that is not to be sent', () => {
    expect(
      (['disabled', 'no_endpoint', 'tier'] as const).map((reason) => skipHealthSignal(reason).kind),
    ).toEqual(['elsewhere', 'elsewhere', 'elsewhere']);
    expect(
      (['preview_hostname', 'record_gone'] as const).map((reason) => skipHealthSignal(reason).kind),
    ).toEqual(['untried', 'untried']);
  });
});
