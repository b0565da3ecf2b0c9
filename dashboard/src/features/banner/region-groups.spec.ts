import { describe, expect, it } from '@jest/globals';
import { REGION_PRESETS } from '../../../../src/modules/publishing/domain/region-preset.js';
import { allModes, type Modes } from './configuration.js';
import { commonMode, findRows, nextChange, recordShares, regionGroup } from './region-groups.js';
import { matrixRows, type Preset, withPresetRules } from './region-matrix.js';

const NOW = new Date('2026-11-26T12:00:00Z');
const PRESETS: Preset[] = REGION_PRESETS.map((preset) => preset);
const FORM = {
  regionRules: withPresetRules([], PRESETS, NOW),
  defaultMode: 'opt_in' as const,
  defaultModes: allModes('opt_in'),
  defaultPreset: null,
  honorGlobalPrivacyControl: true,
  presetUpdates: false,
};
const ROWS = matrixRows(FORM, PRESETS, NOW);
const MIXED: Modes = { analytics: 'opt_out', marketing: 'opt_in', preferences: 'notice' };

describe('regionGroup', () => {
  it.each([
    [0, allModes('opt_in'), 'consent'],
    [0, MIXED, 'mixed'],
    [0, allModes('opt_out'), 'objection'],
    [0, { ...MIXED, marketing: 'notice' as const }, 'objection'],
    [0, allModes('notice'), 'information'],
    [0, allModes('none'), 'none'],
    [null, allModes('opt_out'), 'other'],
  ])('of row %j with %j is %s', (index, modes, expected) =>
    expect(regionGroup({ index, modes })).toBe(expected),
  );
});

describe('commonMode', () => {
  it('is the mode of all categories, where there is one', () =>
    expect([commonMode(allModes('notice')), commonMode(MIXED)]).toEqual(['notice', null]));
});

describe('findRows', () => {
  const found = (typed: string) =>
    findRows(ROWS, PRESETS, typed, 'All other regions').map(({ preset }) => preset?.id);
  it.each([
    ['germany', ['de', 'eu']],
    ['united kingdom', ['gb']],
    ['us-ca', ['us-gpc']],
    ['california', ['us-gpc']],
    ['pecr', ['gb']],
    ['other', [undefined]],
    ['atlantis', []],
  ])('%j finds %j', (typed, expected) => expect(found(typed)).toEqual(expected));
});

describe('nextChange', () => {
  it('is the earliest announced day, with the regions of all rows that change then', () => {
    const change = nextChange(ROWS, PRESETS, NOW);
    expect(change?.day).toBe('2026-12-01');
    expect(change?.regions).toEqual(['CL']);
    expect(nextChange(ROWS.slice(0, 1), PRESETS, NOW)).toBeNull();
  });
});

describe('recordShares', () => {
  const rules = [{ regions: ['US-CA'] }, { regions: ['EU'] }];
  it('counts each record for the row that decides', () => {
    const counts = [
      { region: 'US-CA', records: 1 },
      { region: 'DE', records: 4 },
      // An unknown region counts as the EEA.
      { region: null, records: 2 },
      { region: 'US', records: 3 },
    ];
    const share = recordShares(rules, counts);
    expect([share?.(0), share?.(1), share?.(null)]).toEqual([0.1, 0.6, 0.3]);
  });

  it('is null without records', () => expect(recordShares(rules, [])).toBeNull());
});
