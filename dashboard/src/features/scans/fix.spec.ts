import { describe, expect, it } from '@jest/globals';
import type { FindingResponse } from '../../client/types.gen.js';
import { groupFindings } from './finding-groups.js';
import { fixFor, waitingScript } from './fix.js';

const fixOf = (given: Partial<FindingResponse>): string => {
  const finding = {
    id: '1',
    kind: 'before_consent',
    itemKind: 'cookie',
    name: '_ga',
    certainty: 'settled',
    status: 'new',
    initiator: null,
    uses: [],
    ...given,
  };
  const [group] = groupFindings([finding as unknown as FindingResponse]);
  if (!group) throw new Error('there is no group');
  return fixFor(group);
};
const use = { url: 'https://shop.example/', sent: false, initiator: 'cdn.example/a.js' };

describe('fixFor', () => {
  it('makes the script wait that sets an item or sends a request', () => {
    expect(fixOf({ initiator: 'cdn.example/a.js', uses: [{ ...use, setBy: 'script' }] })).toBe('script');
    expect(fixOf({ itemKind: 'request', name: '', initiator: 'cdn.example/a.js' })).toBe('script');
    expect(fixOf({ itemKind: 'request', name: '' })).toBe('request');
  });

  it('is the server’s where a response sets it, or its cause is unknown', () => {
    expect(fixOf({ initiator: 'shop.example/', uses: [{ ...use, setBy: 'response' }] })).toBe('server');
    expect(fixOf({})).toBe('server');
  });

  it('is a decision first of what nobody knows, except for what is not about its purpose', () => {
    expect(fixOf({ certainty: 'open' })).toBe('decide');
    expect(fixOf({ certainty: 'open', kind: 'declared_not_seen' })).toBe('notSeen');
  });
});

describe('waitingScript', () => {
  it('names the category, and is none without one', () => {
    expect(waitingScript('cdn.example/a.js', 'analytics')).toContain('data-category="analytics"');
    expect(waitingScript('cdn.example/a.js', null)).toBeNull();
  });
});
