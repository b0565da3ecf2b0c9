import { describe, expect, it } from '@jest/globals';
import type { FindingResponse } from '../../client/types.gen.js';
import { groupFindings } from './group-findings.js';

const finding = (id: string, name: string, host = 'shop.example'): FindingResponse =>
  ({ id, itemKind: 'cookie', name, host }) as FindingResponse;

describe('groupFindings', () => {
  it('puts findings on the same item together, in the order of the first of each', () => {
    const groups = groupFindings([finding('1', '_ga'), finding('2', 'sid'), finding('3', '_ga')]);
    expect(groups.map((group) => group.map(({ id }) => id))).toEqual([['1', '3'], ['2']]);
  });

  it('keeps items of other hosts and findings without an item apart', () => {
    const groups = groupFindings([
      finding('1', '_ga'),
      finding('2', '_ga', 'cdn.example'),
      finding('3', '', ''),
      finding('4', '', ''),
    ]);
    expect(groups).toHaveLength(4);
  });
});
