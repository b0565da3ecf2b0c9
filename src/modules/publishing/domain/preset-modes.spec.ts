import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION, type SiteConfiguration, storedConfiguration } from './configuration.js';
import { allModes } from './consent-modes.js';
import { requiresSignal, withPresetModes } from './preset-modes.js';

const GB = { id: 'gb', version: 1 };
const FROM_2026 = { analytics: 'opt_out', marketing: 'opt_in', preferences: 'opt_out' };
const at = (instant: string, changes: Partial<SiteConfiguration>) =>
  withPresetModes({ ...DEFAULT_CONFIGURATION, ...changes }, new Date(instant));
const byHand = { mode: 'notice' as const, modes: allModes('notice') };

describe(withPresetModes.name, () => {
  it.each([
    ['2026-02-04T23:59:59.999Z', allModes('opt_in')],
    ['2026-02-05T00:00:00.000Z', FROM_2026],
  ])('has the state that applies at %s, for rules and by default', (instant, modes) => {
    const rule = { ...byHand, regions: ['GB'], preset: GB };
    const { defaultModes, regionRules } = at(instant, { defaultPreset: GB, regionRules: [rule] });
    expect(defaultModes).toEqual(modes);
    expect(regionRules).toEqual([{ regions: ['GB'], mode: 'opt_in', modes, preset: GB }]);
  });

  it('takes the stricter words of Oklahoma only from 2027', () => {
    const rule = { ...byHand, regions: ['US-OK'], preset: { id: 'us-2027', version: 1 } };
    const modeAt = (instant: string) => at(instant, { regionRules: [rule] }).regionRules[0]?.mode;
    expect(modeAt('2026-12-31T23:59:59.999Z')).toBe('notice');
    expect(modeAt('2027-01-01T00:00:00.000Z')).toBe('opt_out');
  });

  it('keeps what was set by hand, and what it does not know', () => {
    const rule = { ...byHand, regions: ['DE'] };
    const unknown = { ...rule, preset: { id: 'atlantis', version: 1 } };
    const later = { ...rule, preset: { id: 'gb', version: 99 } };
    const regionRules = [rule, unknown, later];
    expect(at('2026-11-26', { regionRules }).regionRules).toEqual(regionRules);
  });

  it('applies the newest version only where updates are on', () => {
    const rule = { ...byHand, regions: ['GB'], preset: { id: 'gb', version: 0 } };
    expect(at('2026-11-26', { regionRules: [rule] }).regionRules).toEqual([rule]);
    expect(at('2026-11-26', { regionRules: [rule], presetUpdates: true }).regionRules).toMatchObject([
      { preset: GB, modes: FROM_2026 },
    ]);
  });
});

describe(requiresSignal.name, () => {
  it('is what the preset’s law says', () => {
    const now = new Date('2026-11-26');
    expect(requiresSignal({ id: 'us-gpc', version: 1 }, now)).toBe(true);
    expect(requiresSignal(GB, now)).toBe(false);
    expect(requiresSignal(null, now)).toBe(false);
    expect(requiresSignal({ id: 'atlantis', version: 1 }, now)).toBe(false);
  });
});

describe('a configuration of an older version', () => {
  it('has its one mode for all categories', () => {
    const stored = storedConfiguration({
      defaultMode: 'notice',
      regionRules: [{ regions: ['US'], mode: 'opt_out' }],
    });
    expect(stored.defaultModes).toEqual(allModes('notice'));
    expect(stored.regionRules).toEqual([{ regions: ['US'], mode: 'opt_out', modes: allModes('opt_out') }]);
  });
});
