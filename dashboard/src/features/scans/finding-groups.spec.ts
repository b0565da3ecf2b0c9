import { describe, expect, it } from '@jest/globals';
import type { FindingResponse } from '../../client/types.gen.js';
import { groupFindings, markIn, STATES } from './finding-groups.js';

const finding = (given: Partial<FindingResponse>): FindingResponse =>
  ({
    id: JSON.stringify(given),
    kind: 'before_consent',
    itemKind: 'cookie',
    name: '_ga',
    host: 'shop.example',
    state: 'before',
    certainty: 'settled',
    status: 'new',
    seenIn: [],
    ...given,
  }) as FindingResponse;

const marksOf = (findings: FindingResponse[], tested: readonly string[] = STATES): string[] => {
  const [group, ...others] = groupFindings(findings);
  if (!group || others.length > 0) throw new Error('one group is needed');
  return STATES.map((state) => markIn(group, state, tested.includes(state)));
};

describe('groupFindings', () => {
  it('puts findings on the same item together, in the order of the first of each', () => {
    const groups = groupFindings([
      finding({ kind: 'undeclared', certainty: 'arguable' }),
      finding({ name: 'sid' }),
      finding({}),
    ]);
    expect(groups.map(({ first: { name, kind }, findings }) => [name, kind, findings.length])).toEqual([
      ['_ga', 'before_consent', 2],
      ['sid', 'before_consent', 1],
    ]);
  });

  it('keeps items of other hosts and what is missing on pages apart', () => {
    const onPages = { itemKind: null, name: '' };
    const groups = groupFindings([
      finding({}),
      finding({ host: 'cdn.example' }),
      finding({ ...onPages, kind: 'banner_missing' }),
      finding({ ...onPages, kind: 'loader_missing' }),
    ]);
    expect(groups).toHaveLength(4);
  });

  it('takes the certainty of findings that are not accepted', () => {
    const accepted = finding({ status: 'accepted' });
    const open = finding({ kind: 'after_refusal', certainty: 'open' });
    expect(groupFindings([accepted, open])[0]?.certainty).toBe('open');
    expect(groupFindings([accepted])[0]?.certainty).toBeNull();
  });
});

describe('markIn', () => {
  it('is the finding of each state, then whether the item was seen', () => {
    const seenIn = ['before', 'reject', 'accept'] as const;
    expect(
      marksOf([
        finding({ seenIn: [...seenIn] }),
        finding({ kind: 'after_refusal', state: 'reject', certainty: 'arguable', seenIn: [...seenIn] }),
      ]),
    ).toEqual(['settled', 'arguable', 'allowed', 'absent', 'absent']);
  });

  it('does not say allowed of an item that nobody knows, nor anything of an untested state', () => {
    expect(
      marksOf([finding({ certainty: 'open', seenIn: ['before', 'accept'] })], ['before', 'accept']),
    ).toEqual(['open', 'untested', 'open', 'untested', 'untested']);
  });

  it('is in each state without consent that of fingerprinting', () => {
    const given = { kind: 'fingerprinting', certainty: 'arguable', seenIn: ['before', 'reject', 'accept'] };
    expect(marksOf([finding(given as Partial<FindingResponse>)])).toEqual([
      'arguable',
      'arguable',
      'allowed',
      'absent',
      'absent',
    ]);
  });
});
