import { describe, expect, it } from '@jest/globals';
import { DEFAULT_CONFIGURATION, type SiteConfiguration, storedConfiguration } from './configuration.js';
import { allModes, CONSENT_MODES, strictestMode } from './consent-modes.js';
import {
  comingStates,
  findPreset,
  newestVersion,
  presetState,
  type PresetState,
  type PresetVersion,
  REGION_PRESETS,
  type RegionPreset,
  requiresSignal,
  withPresetModes,
} from './region-preset.js';
import { EU_GROUP, EU_REGIONS } from './region.js';

const DAY_MS = 86_400_000;
const PRESETS = REGION_PRESETS.map((preset): [string, RegionPreset] => [preset.id, preset]);
const CHANGES = REGION_PRESETS.flatMap((preset) =>
  preset.versions.flatMap(({ version, states }) =>
    states.slice(1).map((state, index): [string, string, RegionPreset, number, PresetState] => {
      const before = states[index];
      if (state.from === null || !before) throw new Error(`${preset.id}: a second state without a date`);
      return [preset.id, state.from, preset, version, before];
    }),
  ),
);

describe('presetState', () => {
  it.each(CHANGES)(
    'of %s changes with the first millisecond of %s, UTC',
    (_id, from, preset, version, before) => {
      const midnight = Date.parse(`${from}T00:00:00.000Z`);
      expect(presetState(preset, version, new Date(midnight - 1))).toBe(before);
      const after = presetState(preset, version, new Date(midnight));
      expect(after).not.toBe(before);
      expect(after?.from).toBe(from);
      expect(presetState(preset, version, new Date(midnight + DAY_MS - 1))).toBe(after);
    },
  );

  it.each(PRESETS)('of %s has a state at any instant', (_id, preset) => {
    const version = newestVersion(preset);
    const first = preset.versions.at(-1)?.states[0];
    expect(presetState(preset, version, new Date(0))).toBe(first);
    expect(presetState(preset, version, new Date('2999-12-31'))).toBe(preset.versions.at(-1)?.states.at(-1));
  });

  it.each([0, 2, -1, 1.5, Number.NaN])('is undefined for the unknown version %d', (version) => {
    expect(presetState(preset('gb'), version, new Date())).toBeUndefined();
    expect(comingStates(preset('gb'), version, new Date(0))).toEqual([]);
  });

  it('requires consent for statistics in the UK until 2026-02-05, and then only for marketing', () => {
    expect(modesOf('gb', '2026-02-04T23:59:59.999Z')).toEqual(allModes('opt_in'));
    expect(modesOf('gb', '2026-02-05T00:00:00.000Z')).toEqual({
      analytics: 'opt_out',
      marketing: 'opt_in',
      preferences: 'opt_out',
    });
  });

  it('requires consent in Chile from the first day of Ley 21.719', () => {
    expect(modesOf('cl', '2026-11-30T23:59:59.999Z')).toEqual(allModes('notice'));
    expect(modesOf('cl', '2026-12-01T00:00:00.000Z')).toEqual(allModes('opt_in'));
  });

  it('never requires less than consent in Germany', () => {
    for (const day of ['2021-12-01', '2026-02-05', '2026-11-26', '2027-01-01'])
      expect(modesOf('de', day)).toEqual(allModes('opt_in'));
  });
});

describe('comingStates', () => {
  it.each(CHANGES)('of %s has the state of %s until it takes effect', (_id, from, preset, version) => {
    const midnight = Date.parse(`${from}T00:00:00.000Z`);
    const coming = (at: number) => comingStates(preset, version, new Date(at)).map((state) => state.from);
    expect(coming(midnight - 1)).toContain(from);
    expect(coming(midnight)).not.toContain(from);
  });

  it('has six states to come on 2026-11-26', () => {
    const at = new Date('2026-11-26');
    const coming = REGION_PRESETS.flatMap((preset) =>
      comingStates(preset, newestVersion(preset), at).map(({ from, requiresSignal }) => [
        preset.regions.join(' '),
        from,
        requiresSignal,
      ]),
    );
    expect(coming).toEqual([
      ['CL', '2026-12-01', false],
      ['IN', '2027-05-13', false],
      ['US-OK', '2027-01-01', false],
      ['US-LA', '2027-01-01', true],
      ['US-AL', '2027-05-01', false],
      ['US-VT', '2028-01-01', true],
    ]);
  });
});

describe('findPreset', () => {
  it('finds a preset by its id alone', () => {
    expect(findPreset('us-gpc')?.regions).toHaveLength(12);
    expect(findPreset('US-GPC')).toBeUndefined();
    expect(findPreset('')).toBeUndefined();
  });
});

describe('newestVersion', () => {
  it('is the highest version', () => {
    const [first] = preset('de').versions;
    if (!first) throw new Error('no version');
    expect(newestVersion(preset('de'))).toBe(1);
    expect(newestVersion({ ...preset('de'), versions: [first, { ...first, version: 2 }] })).toBe(2);
  });

  it('keeps an older version as it was', () => {
    const [first] = preset('de').versions;
    if (!first) throw new Error('no version');
    const corrected: PresetState = { from: null, modes: allModes('notice'), requiresSignal: true };
    const second: PresetVersion = { version: 2, reviewedOn: '2026-12-01', states: [corrected] };
    const versions = [first, second];
    expect(presetState({ ...preset('de'), versions }, 1, new Date())).toBe(first.states[0]);
    expect(presetState({ ...preset('de'), versions }, 2, new Date())).toBe(corrected);
  });
});

describe('REGION_PRESETS', () => {
  it('is in an order in which no earlier rule hides a later one', () => {
    const hidden = REGION_PRESETS.flatMap(({ regions }, index) => {
      const earlier = REGION_PRESETS.slice(0, index).flatMap((preset) => preset.regions);
      return regions.filter((region) => groupsOf(region).some((group) => earlier.includes(group)));
    });
    expect(hidden).toEqual([]);
  });

  it('names no region and no id twice', () => {
    const regions = REGION_PRESETS.flatMap((preset) => preset.regions);
    expect(regions).toEqual([...new Set(regions)]);
    const ids = PRESETS.map(([id]) => id);
    expect(ids).toEqual([...new Set(ids)]);
  });

  it('is nowhere less strict than for the group around a region, on any day of a change', () => {
    const days = ['2020-01-01', ...CHANGES.map(([, from]) => from)];
    const looser = days.flatMap((day) =>
      PRESETS.flatMap(([id, { regions }]) =>
        regions
          .flatMap((region) =>
            REGION_PRESETS.filter((group) => groupsOf(region).some(isOneOf(group.regions))),
          )
          .filter((group) => strictness(id, day) > strictness(group.id, day))
          .map((group) => `${id} is looser than ${group.id} on ${day}`),
      ),
    );
    expect(looser).toEqual([]);
  });

  it('has the rule of the US for each territory that has a country code of its own', () => {
    const territories = 'AS GU MP PR UM VI'.split(' ');
    expect(preset('us').regions).toEqual(['US', ...territories]);
    expect(modesOf('us', '2026-12-01T00:00:00.000Z')).toEqual(allModes('notice'));
  });

  it('has French law for each part of France that has a country code of its own', () => {
    const parts = 'BL GF GP MF MQ NC PF PM RE TF WF YT'.split(' ');
    expect(preset('fr').regions).toEqual(['FR', ...parts]);
  });

  it('has a preset for each state of the US that a former list had', () => {
    const listed = 'CA CO CT DE FL IA IN KY MD MN MT NE NH NJ OR RI TN TX UT VA'.split(' ');
    const regions = REGION_PRESETS.flatMap((preset) => preset.regions);
    expect(listed.filter((state) => !regions.includes(`US-${state}`))).toEqual([]);
  });

  describe.each(PRESETS)('%s', (id, preset) => {
    it('has a short id and valid regions', () => {
      expect(id).toMatch(/^[a-z]{2}(-[a-z0-9]+)*$/);
      expect(preset.regions.length).toBeGreaterThan(0);
      for (const region of preset.regions) expect(region).toMatch(/^[A-Z]{2}(-[A-Z]{2})?$/);
      // The name of a region in English is its code where Intl does not know it.
      const names = new Intl.DisplayNames('en', { type: 'region' });
      for (const region of preset.regions) expect(names.of(region.slice(0, 2))).not.toBe(region.slice(0, 2));
    });

    it('names its law and sources', () => {
      expect(preset.law).not.toBe('');
      expect(preset.sources.length).toBeGreaterThan(0);
      for (const { title, url } of preset.sources) {
        expect(title).not.toBe('');
        expect(new URL(url).protocol).toBe('https:');
        // So that it fits into a table of docs/regions.md.
        expect(title).not.toMatch(/[|[\]]/);
        expect(url).not.toMatch(/[|()\s]/);
      }
    });

    it('has ascending versions of ascending states, each a change', () => {
      const versions = preset.versions.map(({ version }) => version);
      expect(versions).toEqual(versions.map((_version, index) => index + 1));
      for (const { reviewedOn, states } of preset.versions) {
        expect(reviewedOn).toBe(utcDay(reviewedOn));
        const [first, ...later] = states.map(({ from }) => from);
        expect(first).toBeNull();
        const days = later.map((from) => utcDay(from ?? ''));
        expect(later).toEqual(days);
        expect(days).toEqual([...new Set(days)].toSorted());
        for (const [index, { modes, requiresSignal }] of states.slice(1).entries())
          expect({ modes, requiresSignal }).not.toEqual(withoutDay(states[index]));
      }
    });

    it('has a mode for each category', () => {
      for (const { modes } of preset.versions.flatMap(({ states }) => states)) {
        expect(Object.keys(modes).toSorted()).toEqual(['analytics', 'marketing', 'preferences']);
        for (const mode of Object.values(modes)) expect(CONSENT_MODES).toContain(mode);
      }
    });
  });
});

function preset(id: string): RegionPreset {
  const found = findPreset(id);
  if (!found) throw new Error(`no preset ${id}`);
  return found;
}

function modesOf(id: string, at: string) {
  return presetState(preset(id), newestVersion(preset(id)), new Date(at))?.modes;
}

/** 0: the strictest. */
function strictness(id: string, at: string): number {
  const modes = modesOf(id, at);
  if (!modes) throw new Error(`${id} has no state at ${at}`);
  return CONSENT_MODES.indexOf(strictestMode(modes));
}

function isOneOf(regions: string[]): (region: string) => boolean {
  return (region) => regions.includes(region);
}

/** The wider regions of rules that decide about a region as well. */
function groupsOf(region: string): string[] {
  const country = region.slice(0, 2);
  return [
    ...(region === country ? [] : [country]),
    ...(EU_REGIONS.split(' ').includes(country) ? [EU_GROUP] : []),
  ];
}

function withoutDay(state: PresetState | undefined) {
  return { modes: state?.modes, requiresSignal: state?.requiresSignal };
}

/** The same day if it is valid; otherwise throws. */
function utcDay(day: string): string {
  return new Date(`${day}T00:00:00.000Z`).toISOString().slice(0, 10);
}

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
