import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION, type SiteConfiguration } from './configuration.js';
import { allModes } from './consent-modes.js';
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
      ...{ defaultMode: 'opt_in', defaultModes: MIXED },
      regionRules: [{ regions: ['GB'], mode: 'opt_in', modes: MIXED }],
    });
  });

  it('gives a category that is not offered the strictest mode of those that are', () => {
    expect(rules({ categories: ['analytics'], defaultModes: MIXED })).toMatchObject({
      defaultMode: 'opt_out',
    });
    expect(rules({ categories: ['analytics'], defaultModes: MIXED }).defaultModes).toBeUndefined();
    expect(rules({ categories: ['analytics', 'preferences'], defaultModes: MIXED }).defaultModes).toEqual({
      ...{ analytics: 'opt_out', marketing: 'opt_out', preferences: 'notice' },
    });
    expect(rules({ categories: [], defaultModes: MIXED }).defaultModes).toEqual(MIXED);
  });

  it('names the preset, and honors the signal where its law requires that', () => {
    const preset = { id: 'us-gpc', version: 1 };
    const california = { regions: ['US-CA'], mode: 'opt_out' as const, modes: allModes('opt_out') };
    const off = { honorGlobalPrivacyControl: false };
    expect(rules({ ...off, regionRules: [{ ...california, preset }] })).toEqual({
      ...{ defaultMode: 'opt_in', honorGlobalPrivacyControl: false },
      regionRules: [
        {
          ...{ regions: ['US-CA'], mode: 'opt_out', preset: 'us-gpc/1' },
          honorGlobalPrivacyControl: true,
        },
      ],
    });
    expect(rules({ ...off, regionRules: [california] }).regionRules).toEqual([
      { regions: ['US-CA'], mode: 'opt_out' },
    ]);
    // Of the default row, for the whole document; a rule that does not honor it says so.
    expect(rules({ ...off, defaultPreset: preset, regionRules: [california] })).toMatchObject({
      ...{ defaultPreset: 'us-gpc/1', honorGlobalPrivacyControl: true },
      regionRules: [{ regions: ['US-CA'], honorGlobalPrivacyControl: false }],
    });
    expect(rules({ regionRules: [{ ...california, ...off }] }).regionRules).toEqual([
      { regions: ['US-CA'], mode: 'opt_out', ...off },
    ]);
  });
});

describe(serviceIdsOf.name, () => {
  const service = (name: string, category: 'analytics' | 'necessary') => ({
    ...{ name, category, provider: 'Example Ltd', policyUrl: null, cookies: [], translations: [] },
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
});
