import { describe, expect, it } from '@jest/globals';
import { REGION_PRESETS } from '../../../../src/modules/publishing/domain/region-preset.js';
import { allModes, type RegionRule } from './configuration.js';
import {
  comingStates,
  countriesWithoutParts,
  decidingRule,
  matrixRows,
  movedRule,
  possibleRows,
  type Preset,
  versionChanges,
  visitorOf,
  withMode,
  withNewestPresets,
  withPreset,
  withPresetRules,
  withRow,
} from './region-matrix.js';

const NOW = new Date('2026-11-26T12:00:00Z');
const PRESETS: Preset[] = REGION_PRESETS.map((preset) => preset);
const GB = PRESETS.find(({ id }) => id === 'gb') as Preset;
const UK = { analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' } as const;
const rule = (regions: string[], changes: Partial<RegionRule> = {}): RegionRule => ({
  regions,
  mode: 'opt_out',
  modes: allModes('opt_out'),
  ...changes,
});
const FORM = {
  regionRules: [rule(['US-CA']), rule(['GB'], { preset: { id: 'gb', version: 1 } })],
  defaultMode: 'opt_in' as const,
  defaultModes: allModes('opt_in'),
  defaultPreset: null,
  honorGlobalPrivacyControl: true,
  presetUpdates: false,
};

describe('the rows', () => {
  it('are the rules with the modes of their presets, then all other regions', () => {
    expect(matrixRows(FORM, PRESETS, NOW)).toMatchObject([
      { index: 0, regions: ['US-CA'], modes: allModes('opt_out'), preset: null, honorsSignal: true },
      { index: 1, regions: ['GB'], modes: UK, preset: { id: 'gb', version: 1 } },
      { index: null, regions: [], modes: allModes('opt_in'), requiresSignal: false },
    ]);
  });

  it('honor the signal where the law requires that', () => {
    const regionRules = [rule(['US-CA'], { preset: { id: 'us-gpc', version: 1 } })];
    const [row] = matrixRows({ ...FORM, regionRules, honorGlobalPrivacyControl: false }, PRESETS, NOW);
    expect(row).toMatchObject({ honorsSignal: true, requiresSignal: true });
  });
});

describe('a change of a row', () => {
  const [california, kingdom, others] = matrixRows(FORM, PRESETS, NOW);
  if (!california || !kingdom || !others) throw new Error('Rows are missing.');

  it('keeps the one mode the strictest, and takes the preset away where it was made by hand', () => {
    expect(withRow(FORM, kingdom, withMode(kingdom, 'marketing', 'notice'))).toEqual({
      regionRules: [
        FORM.regionRules[0],
        { regions: ['GB'], mode: 'opt_out', modes: { ...UK, marketing: 'notice' } },
      ],
    });
    expect(withRow(FORM, others, withMode(others, 'analytics', 'none'))).toEqual({
      defaultMode: 'opt_in',
      defaultModes: { ...allModes('opt_in'), analytics: 'none' },
      defaultPreset: null,
    });
  });

  it('takes a preset with the modes of the day, and its regions where the rule has none', () => {
    expect(withRow(FORM, others, withPreset(others, GB, new Date('2026-02-04')))).toEqual({
      defaultMode: 'opt_in',
      defaultModes: allModes('opt_in'),
      defaultPreset: { id: 'gb', version: 1 },
    });
    const empty = { ...california, regions: [] };
    expect(withPreset(empty, GB, NOW)).toMatchObject({ regions: ['GB'], modes: UK });
    expect(withPreset(california, GB, NOW)).not.toHaveProperty('regions');
  });

  it('stores the signal only where it differs from all other regions', () => {
    expect(withRow(FORM, california, { honorsSignal: false })).toMatchObject({
      regionRules: [{ honorGlobalPrivacyControl: false }, {}],
    });
    const changed = withRow(FORM, california, { honorsSignal: true });
    expect(changed.regionRules?.[0]).not.toHaveProperty('honorGlobalPrivacyControl');
    expect(withRow(FORM, others, { honorsSignal: false })).toEqual({ honorGlobalPrivacyControl: false });
  });

  it('moves a rule', () => {
    const [first, second] = FORM.regionRules;
    expect(movedRule(FORM.regionRules, 1, 0)).toEqual([second, first]);
  });
});

describe('presets by law', () => {
  it('are added for regions that no rule names, each before what contains it', () => {
    const rules = withPresetRules([rule(['EU']), rule(['US'])], PRESETS, NOW);
    const firstOf = (region: string) => rules[decidingRule(rules, region) ?? -1]?.preset?.id;
    expect(firstOf('DE')).toBe('de');
    expect(firstOf('US-CA')).toBe('us-gpc');
    // Their own rules stay.
    expect(firstOf('PL')).toBeUndefined();
    expect(firstOf('US-WY')).toBeUndefined();
    expect(withPresetRules(rules, PRESETS, NOW)).toEqual(rules);
    for (const preset of PRESETS)
      for (const region of preset.regions)
        if (!['EU', 'US'].includes(region)) expect(firstOf(region)).toBe(preset.id);
  });

  it('say what is coming, and what another version changes', () => {
    const oklahoma = PRESETS.find(({ id }) => id === 'us-2027') as Preset;
    expect(comingStates(oklahoma, 1, NOW)).toMatchObject([
      { from: '2027-01-01', modes: allModes('opt_out') },
    ]);
    expect(comingStates(oklahoma, 1, new Date('2027-01-01T00:00:00.000Z'))).toEqual([]);
    const state = { from: null, modes: allModes('opt_in'), requiresSignal: false };
    const later = {
      ...GB,
      versions: [...GB.versions, { version: 2, reviewedOn: '2026-12-01', states: [state] }],
    };
    expect(versionChanges(later, [1, 2], NOW)).toEqual([
      { category: 'analytics', before: 'opt_out', after: 'opt_in' },
      { category: 'preferences', before: 'opt_out', after: 'opt_in' },
    ]);
    expect(withNewestPresets(FORM, [later], NOW).regionRules?.[1]).toMatchObject({
      preset: { id: 'gb', version: 2 },
      modes: allModes('opt_in'),
    });
  });
});

describe('a visitor of a row', () => {
  const rules = [rule(['US-CA', 'FR']), rule(['US']), rule(['EU']), rule(['US-NY'])];

  it('is one for whom it decides', () => {
    expect(visitorOf(rules, 0)).toBe('US-CA');
    // In a part of the US that no rule names.
    expect(visitorOf(rules, 1)).toBe('US-00');
    expect(decidingRule(rules, visitorOf(rules, 2) ?? '')).toBe(2);
    expect(decidingRule(rules, visitorOf(rules, null) ?? '')).toBeNull();
  });

  it('may have any rule of the country where the part is unknown', () => {
    const rows = matrixRows({ ...FORM, regionRules: rules }, PRESETS, NOW);
    const indexes = (region: string) => possibleRows(rows, region).map(({ index }) => index);
    expect(indexes('US')).toEqual([0, 1]);
    expect(indexes('US-00')).toEqual([1]);
    expect(indexes('US-CA')).toEqual([0]);
    expect(indexes('DE')).toEqual([2]);
    expect(indexes('BR')).toEqual([null]);
  });

  it('is to be sent with its part where records have none', () => {
    expect(countriesWithoutParts(rules, ['US', 'DE', null])).toEqual(['US']);
    expect(countriesWithoutParts(rules, ['US', 'US-CA'])).toEqual([]);
    expect(countriesWithoutParts(rules, ['DE', null])).toEqual([]);
    expect(countriesWithoutParts([rule(['US'])], ['US'])).toEqual([]);
  });

  it('does not exist where earlier rules decide for all of its regions', () => {
    expect(visitorOf(rules, 3)).toBeNull();
  });
});
