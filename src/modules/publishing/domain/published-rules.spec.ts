import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION, type SiteConfiguration } from './configuration.js';
import { allModes, type ConsentMode } from './consent-modes.js';
import { REGION_PRESETS, withPresetModes } from './region-preset.js';
import { publishedRules, serviceIdsOf } from './published-rules.js';

const AT = new Date('2026-11-26');
const MIXED = { analytics: 'opt_out', marketing: 'opt_in', preferences: 'notice' } as const;
const rules = (changes: Partial<SiteConfiguration>) =>
  publishedRules({ ...DEFAULT_CONFIGURATION, ...changes }, AT);

describe(publishedRules.name, () => {
  it('has modes by category only where they differ, and the strictest beside them', () => {
    expect(rules({ defaultModes: allModes('notice') })).toEqual({
      defaultMode: 'notice',
      regionRules: [],
      honorGlobalPrivacyControl: true,
    });
    const regionRules = [{ regions: ['GB'], mode: 'opt_in' as const, modes: MIXED }];
    expect(rules({ defaultModes: MIXED, regionRules })).toMatchObject({
      defaultMode: 'opt_in',
      defaultModes: MIXED,
      regionRules: [{ regions: ['GB'], mode: 'opt_in', modes: MIXED }],
    });
  });

  it('gives a category that is not offered the strictest mode of those that are', () => {
    expect(rules({ categories: ['analytics'], defaultModes: MIXED })).toMatchObject({
      defaultMode: 'opt_out',
    });
    expect(rules({ categories: ['analytics'], defaultModes: MIXED }).defaultModes).toBeUndefined();
    expect(rules({ categories: ['analytics', 'preferences'], defaultModes: MIXED }).defaultModes).toEqual({
      analytics: 'opt_out',
      marketing: 'opt_out',
      preferences: 'notice',
    });
    expect(rules({ categories: [], defaultModes: MIXED }).defaultModes).toEqual(MIXED);
  });

  it('names the preset, and honors the signal where its law requires that', () => {
    const preset = { id: 'us-gpc', version: 1 };
    const california = { regions: ['US-CA'], mode: 'opt_out' as const, modes: allModes('opt_out') };
    const off = { honorGlobalPrivacyControl: false };
    expect(rules({ ...off, regionRules: [{ ...california, preset }] })).toEqual({
      defaultMode: 'opt_in',
      honorGlobalPrivacyControl: false,
      regionRules: [
        {
          regions: ['US-CA'],
          mode: 'opt_out',
          preset: 'us-gpc/1',
          honorGlobalPrivacyControl: true,
        },
        // The visitor may be in California.
        ...['US-', 'XX'].map((region) => ({
          regions: [region],
          mode: 'opt_in',
          honorGlobalPrivacyControl: true,
        })),
      ],
    });
    expect(rules({ ...off, regionRules: [california] }).regionRules).toEqual([
      { regions: ['US-CA'], mode: 'opt_out' },
    ]);
    // Of the default row, for the whole document; a rule that does not honor it says so.
    expect(rules({ ...off, defaultPreset: preset, regionRules: [california] })).toMatchObject({
      defaultPreset: 'us-gpc/1',
      honorGlobalPrivacyControl: true,
      regionRules: [{ regions: ['US-CA'], honorGlobalPrivacyControl: false }],
    });
    expect(rules({ regionRules: [{ ...california, ...off }] }).regionRules).toEqual([
      { regions: ['US-CA'], mode: 'opt_out', ...off },
    ]);
  });
});

describe('a country whose subdivision is unknown', () => {
  const rule = (regions: string[], mode: ConsentMode, rest: object = {}) => ({
    regions,
    mode,
    modes: allModes(mode),
    ...rest,
  });
  const unknownOf = (published: ReturnType<typeof rules>, name: string) =>
    published.regionRules.find(({ regions }) => regions.includes(name));
  const presets = (...ids: string[]) => ({
    regionRules: REGION_PRESETS.filter(({ id }) => ids.includes(id)).map(({ id, regions }) => ({
      regions,
      mode: 'opt_in' as const,
      modes: allModes('opt_in'),
      preset: { id, version: 1 },
    })),
  });
  const published = (ids: string[], changes: Partial<SiteConfiguration> = {}) =>
    publishedRules(withPresetModes({ ...DEFAULT_CONFIGURATION, ...presets(...ids), ...changes }, AT), AT);

  it('has the strictest of its rules, and the signal where the law of one requires it', () => {
    const off = { honorGlobalPrivacyControl: false };
    const all = published(['ca-qc', 'ca', 'us-gpc', 'us-opt-out', 'us-2027', 'us'], off);
    expect(unknownOf(all, 'US-')).toEqual({
      regions: ['US-'],
      mode: 'opt_out',
      preset: 'us-gpc/1',
      honorGlobalPrivacyControl: true,
    });
    expect(unknownOf(all, 'CA-')).toEqual({ regions: ['CA-'], mode: 'opt_in', preset: 'ca-qc/1' });
    expect(all.regionRules.map(({ regions }) => regions[0])).toEqual([
      'CA-QC',
      'CA-',
      'CA',
      'US-CA',
      'US-FL',
      'US-OK',
      'US-',
      'US',
      'XX',
    ]);
    // A known subdivision without a rule keeps the country's.
    const regions = ['US', 'AS', 'GU', 'MP', 'PR', 'UM', 'VI'];
    expect(unknownOf(all, 'US')).toEqual({ regions, mode: 'notice', preset: 'us/1' });
  });

  it('takes each category from the rule that is strictest there, and is then no single preset', () => {
    const mixed = { analytics: 'notice', marketing: 'opt_in', preferences: 'none' } as const;
    const regionRules = [
      { regions: ['US-CA'], mode: 'opt_in' as const, modes: mixed, preset: { id: 'us-gpc', version: 1 } },
      rule(['US'], 'opt_out', { honorGlobalPrivacyControl: false }),
    ];
    expect(unknownOf(rules({ regionRules }), 'US-')).toEqual({
      regions: ['US-'],
      mode: 'opt_in',
      modes: { analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' },
    });
  });

  it('counts the rule of all other regions, or of the EU, where no rule names the country', () => {
    const regionRules = [rule(['US-CA', 'DE-BY'], 'notice'), rule(['EU'], 'opt_in')];
    const { regionRules: result } = rules({ regionRules, defaultModes: allModes('opt_out') });
    expect(result.map(({ regions, mode }) => [regions[0], mode])).toEqual([
      ['US-CA', 'notice'],
      ['EU', 'opt_in'],
    ]);
    const strict = [rule(['US-CA', 'DE-BY'], 'opt_in'), rule(['EU'], 'opt_out')];
    expect(
      rules({ regionRules: strict, defaultModes: allModes('notice') }).regionRules.map(
        ({ regions, mode }) => [regions[0], mode],
      ),
    ).toEqual([
      ['US-CA', 'opt_in'],
      ['DE-', 'opt_in'],
      ['EU', 'opt_out'],
      ['US-', 'opt_in'],
    ]);
  });

  it('ignores a subdivision that is named after its country, and countries without subdivisions', () => {
    const regionRules = [rule(['US'], 'notice'), rule(['US-CA'], 'opt_in'), rule(['CH'], 'opt_in')];
    expect(rules({ regionRules }).regionRules.map(({ regions }) => regions[0])).toEqual([
      'US',
      'US-CA',
      'CH',
    ]);
  });
});

describe(serviceIdsOf.name, () => {
  const service = (name: string, category: 'analytics' | 'marketing' | 'necessary') => ({
    name,
    category,
    provider: 'Example Ltd',
    policyUrl: null,
    cookies: [],
    translations: [],
  });

  it('has one short name for each service that needs consent', () => {
    const services = [
      service('Counter', 'analytics'),
      service('Counter', 'analytics'),
      service('Shop', 'necessary'),
    ];
    const ids = serviceIdsOf({ ...DEFAULT_CONFIGURATION, services });
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)]);
    const other = serviceIdsOf({ ...DEFAULT_CONFIGURATION, services: [service('Meter', 'analytics')] });
    expect(other).not.toEqual(ids);
  });

  it('has another name for a service that moves to another category', () => {
    const idsOf = (category: 'analytics' | 'marketing'): string[] =>
      serviceIdsOf({ ...DEFAULT_CONFIGURATION, services: [service('Counter', category)] });
    const [before, after] = [idsOf('analytics'), idsOf('marketing')];
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
  });
});
