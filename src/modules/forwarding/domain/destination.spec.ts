import { describe, expect, it } from '@jest/globals';
import { chooseDestination } from './destination.js';

const own = { enabled: true, endpointUrl: 'https://own.example.com/', allowCustomEndpoint: false };
const choose = (known: Partial<Parameters<typeof chooseDestination>[0]>) =>
  chooseDestination({ target: own, customEndpoint: null, tierRefusal: null, legacyAllowed: true, ...known });
const skip = (reason: string) => ({ kind: 'skip', reason });

describe('chooseDestination (spec §2.2)', () => {
  const customEndpoint = 'https://request.example.com/';

  it("sends to the project's own endpoint, also where the request brought one", () => {
    expect(choose({ customEndpoint })).toEqual({ kind: 'project', url: own.endpointUrl });
    const target = { ...own, allowCustomEndpoint: true };
    expect(choose({ target, customEndpoint })).toEqual({ kind: 'project', url: own.endpointUrl });
  });

  it.each([own.endpointUrl, null])(
    'sends nowhere once it was saved as off, whatever the request brought (endpoint %s)',
    (endpointUrl) => {
      for (const allowCustomEndpoint of [true, false]) {
        const target = { enabled: false, endpointUrl, allowCustomEndpoint };
        expect(choose({ target, customEndpoint })).toEqual(skip('disabled'));
      }
    },
  );

  it('says that it is off where there would be an endpoint, and else that there is none', () => {
    const off = { ...own, enabled: false };
    expect(choose({ target: off })).toEqual(skip('disabled'));
    expect(choose({ target: { ...off, endpointUrl: null } })).toEqual(skip('no_endpoint'));
  });

  it("sends to the request's endpoint where the project never saved anything", () => {
    expect(choose({ target: null, customEndpoint })).toEqual({ kind: 'legacy', url: customEndpoint });
    expect(choose({ target: null })).toEqual(skip('no_endpoint'));
    expect(choose({ target: null, customEndpoint, legacyAllowed: false })).toEqual(skip('no_endpoint'));
  });

  it("sends to the request's endpoint where the project allowed it and has none", () => {
    const allowing = { enabled: true, endpointUrl: null, allowCustomEndpoint: true };
    expect(choose({ target: allowing, customEndpoint })).toEqual({ kind: 'legacy', url: customEndpoint });
    expect(choose({ target: allowing, customEndpoint, legacyAllowed: false })).toEqual(skip('no_endpoint'));
    const refusing = { ...allowing, allowCustomEndpoint: false };
    expect(choose({ target: refusing, customEndpoint })).toEqual(skip('no_endpoint'));
  });

  it.each(['tier', 'preview_hostname'] as const)('sends nowhere where the tier forbids it: %s', (reason) => {
    expect(choose({ tierRefusal: reason })).toEqual(skip(reason));
    expect(choose({ tierRefusal: reason, target: null, customEndpoint })).toEqual(skip(reason));
  });
});
