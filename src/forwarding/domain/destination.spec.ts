import { describe, expect, it } from '@jest/globals';
import { chooseDestination } from './destination.js';

const own = { enabled: true, endpointUrl: 'https://own.example.com/' };
const unset = { enabled: false, endpointUrl: null };
const choose = (known: Partial<Parameters<typeof chooseDestination>[0]>) =>
  chooseDestination({ target: own, customEndpoint: null, tierAllows: true, legacyAllowed: true, ...known });

describe('chooseDestination (spec §2.2)', () => {
  const customEndpoint = 'https://request.example.com/';

  it("sends to the project's own endpoint, also where the request brought one", () => {
    expect(choose({ customEndpoint })).toEqual({ kind: 'project', url: own.endpointUrl });
  });

  it('sends nowhere while forwarding is switched off, whatever the request brought', () => {
    const target = { ...own, enabled: false };
    expect(choose({ target, customEndpoint })).toEqual({ kind: 'skip', reason: 'disabled' });
  });

  it.each([null, unset])("sends to the request's endpoint where the project has none (%j)", (target) => {
    expect(choose({ target, customEndpoint })).toEqual({ kind: 'legacy', url: customEndpoint });
    expect(choose({ target, customEndpoint, legacyAllowed: false })).toEqual({
      kind: 'skip',
      reason: 'no_endpoint',
    });
    expect(choose({ target })).toEqual({ kind: 'skip', reason: 'no_endpoint' });
  });

  it('sends nowhere on a tier that does not allow it (spec §8)', () => {
    expect(choose({ tierAllows: false })).toEqual({ kind: 'skip', reason: 'tier' });
    expect(choose({ tierAllows: false, target: null, customEndpoint })).toEqual({
      kind: 'skip',
      reason: 'tier',
    });
  });
});
