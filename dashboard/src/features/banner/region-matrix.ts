import { EU_GROUP, EU_REGIONS, isEu } from '../../../../src/modules/publishing/domain/region.js';
import type {
  PresetReferenceContentResponse,
  PresetStateResponse,
  RegionPresetResponse,
} from '../../client/types.gen';
import {
  CATEGORIES,
  type Category,
  type Configuration,
  type Mode,
  type Modes,
  type RegionRule,
  strictestMode,
  withEntry,
} from './configuration';

export type Preset = RegionPresetResponse;
export type PresetReference = PresetReferenceContentResponse;

/** A row of the matrix: a region rule, or the modes of all other regions. */
export interface MatrixRow {
  /** Place among the rules; null: all other regions. */
  index: number | null;
  regions: string[];
  /** The preset's modes on the day, if the preset is known. */
  modes: Modes;
  /** In the version that applies; null: set by hand. */
  preset: PresetReference | null;
  /** Whether Global Privacy Control is honored. */
  honorsSignal: boolean;
  /** Whether the preset's law requires that. */
  requiresSignal: boolean;
}

/** What can be changed in a row. */
export interface RowChange {
  regions?: string[];
  modes?: Modes;
  preset?: PresetReference | null;
  honorsSignal?: boolean;
}

type RuleSettings = Pick<
  Configuration,
  | 'regionRules'
  | 'defaultMode'
  | 'defaultModes'
  | 'defaultPreset'
  | 'honorGlobalPrivacyControl'
  | 'presetUpdates'
>;

/** The rules in their order, then all other regions, as they apply on a day. */
export function matrixRows(form: RuleSettings, presets: Preset[], at: Date): MatrixRow[] {
  const rowOf = (row: Omit<MatrixRow, 'requiresSignal'>): MatrixRow => {
    const preset = findPreset(presets, row.preset);
    const version = preset && form.presetUpdates ? newestVersion(preset) : row.preset?.version;
    const state = preset && version !== undefined ? presetStateOn(preset, version, at) : undefined;
    const requiresSignal = state?.requiresSignal ?? false;
    return {
      ...row,
      ...(row.preset && version !== undefined && { preset: { id: row.preset.id, version } }),
      ...(state && { modes: state.modes }),
      honorsSignal: row.honorsSignal || requiresSignal,
      requiresSignal,
    };
  };
  const { regionRules, defaultModes, defaultPreset, honorGlobalPrivacyControl } = form;
  return [
    ...regionRules.map((rule, index) =>
      rowOf({
        index,
        regions: rule.regions,
        modes: rule.modes,
        preset: rule.preset ?? null,
        honorsSignal: rule.honorGlobalPrivacyControl ?? honorGlobalPrivacyControl,
      }),
    ),
    rowOf({
      index: null,
      regions: [],
      modes: defaultModes,
      preset: defaultPreset,
      honorsSignal: honorGlobalPrivacyControl,
    }),
  ];
}

/** The members of the configuration that change with a row. The API requires that the one mode is the strictest. */
export function withRow(
  form: RuleSettings,
  { index }: Pick<MatrixRow, 'index'>,
  change: RowChange,
): Partial<Configuration> {
  if (index === null)
    return {
      ...(change.modes && { defaultMode: strictestMode(change.modes), defaultModes: change.modes }),
      ...(change.preset !== undefined && { defaultPreset: change.preset }),
      ...(change.honorsSignal !== undefined && { honorGlobalPrivacyControl: change.honorsSignal }),
    };
  const rule = form.regionRules[index];
  if (!rule) return {};
  return { regionRules: withEntry(form.regionRules, index, changedRule(rule, form, change)) };
}

function changedRule(
  rule: RegionRule,
  { honorGlobalPrivacyControl }: RuleSettings,
  { regions, modes, preset, honorsSignal }: RowChange,
): RegionRule {
  const { preset: oldPreset, honorGlobalPrivacyControl: oldSignal, ...rest } = rule;
  const newPreset = preset === undefined ? oldPreset : preset;
  // A row that honors the signal as all other regions do follows them.
  const followed = honorsSignal === honorGlobalPrivacyControl ? undefined : honorsSignal;
  const newSignal = honorsSignal === undefined ? oldSignal : followed;
  return {
    ...rest,
    ...(regions && { regions }),
    ...(modes && { mode: strictestMode(modes), modes }),
    ...(newPreset && { preset: newPreset }),
    ...(newSignal !== undefined && { honorGlobalPrivacyControl: newSignal }),
  };
}

/** A mode that was chosen by hand. The preset no longer applies. */
export function withMode(row: MatrixRow, category: Category, mode: Mode): RowChange {
  return { modes: { ...row.modes, [category]: mode }, preset: null };
}

/** A version of a preset, the newest one if not named, with its modes of the day. A rule without regions gets the preset's. */
export function withPreset(
  row: MatrixRow,
  preset: Preset,
  at: Date,
  version = newestVersion(preset),
): RowChange {
  const modes = presetStateOn(preset, version, at)?.modes ?? row.modes;
  const fillsRegions = row.index !== null && row.regions.length === 0;
  return { modes, preset: { id: preset.id, version }, ...(fillsRegions && { regions: preset.regions }) };
}

/**
 * The rules, with a rule for each preset whose regions are not yet named, in the order of the presets. The first rule
 * that names a region decides, so a rule for a country or state comes before an existing one for what contains it.
 */
export function withPresetRules(rules: RegionRule[], presets: Preset[], at: Date): RegionRule[] {
  const named = new Set(rules.flatMap(({ regions }) => regions));
  let result = rules;
  for (const preset of presets) {
    const regions = preset.regions.filter((region) => !named.has(region));
    const version = newestVersion(preset);
    const state = presetStateOn(preset, version, at);
    if (regions.length === 0 || !state) continue;
    const { modes } = state;
    const rule = { regions, mode: strictestMode(modes), modes, preset: { id: preset.id, version } };
    const wider = result.findIndex((each) =>
      each.regions.some((name) =>
        regions.some((region) => name !== region && namesOf(region).includes(name)),
      ),
    );
    result = result.toSpliced(wider < 0 ? result.length : wider, 0, rule);
  }
  return result;
}

/** With the newest version of each preset, and its modes of the day. */
export function withNewestPresets(form: RuleSettings, presets: Preset[], at: Date): Partial<Configuration> {
  let changed: RuleSettings = form;
  for (const row of matrixRows(form, presets, at)) {
    const preset = findPreset(presets, row.preset);
    if (preset) changed = { ...changed, ...withRow(changed, row, withPreset(row, preset, at)) };
  }
  const { regionRules, defaultMode, defaultModes, defaultPreset } = changed;
  return { regionRules, defaultMode, defaultModes, defaultPreset };
}

/** The rules with one of them moved. */
export function movedRule(rules: RegionRule[], from: number, to: number): RegionRule[] {
  return rules.toSpliced(from, 1).toSpliced(to, 0, ...rules.slice(from, from + 1));
}

export function findPreset(presets: Preset[], reference: PresetReference | null): Preset | undefined {
  return reference ? presets.find(({ id }) => id === reference.id) : undefined;
}

export function newestVersion({ versions }: Preset): number {
  return Math.max(...versions.map(({ version }) => version));
}

/** The state of a version on a day; undefined for an unknown version. */
function presetStateOn(preset: Preset, version: number, at: Date): PresetStateResponse | undefined {
  return statesOf(preset, version).findLast((state) => !isComing(state, at));
}

/** States of the version that take effect after `at`. */
export function comingStates(preset: Preset, version: number, at: Date): PresetStateResponse[] {
  return statesOf(preset, version).filter((state) => isComing(state, at));
}

/** Categories whose mode on the day another version changes. */
export function versionChanges(
  preset: Preset,
  [from, to]: [number, number],
  at: Date,
): { category: Category; before: Mode; after: Mode }[] {
  const [before, after] = [from, to].map((version) => presetStateOn(preset, version, at)?.modes);
  if (!before || !after) return [];
  return CATEGORIES.filter((category) => before[category] !== after[category]).map((category) => ({
    category,
    before: before[category],
    after: after[category],
  }));
}

/** The place of the rule that decides for a visitor of a region, as the loader finds it; null: all other regions. */
export function decidingRule(rules: Pick<RegionRule, 'regions'>[], region: string): number | null {
  const names = namesOf(region);
  const index = rules.findIndex(({ regions }) => regions.some((name) => names.includes(name)));
  return index < 0 ? null : index;
}

/** A visitor for whom a row decides; null where earlier rules decide for all of its regions. */
export function visitorOf(rules: Pick<RegionRule, 'regions'>[], index: number | null): string | null {
  const regions = index === null ? OTHER_REGIONS : (rules[index]?.regions ?? []);
  const visitors = regions.flatMap((name) => (name === EU_GROUP ? EU_REGIONS.split(' ') : [name]));
  const visitor = visitors.find((region) => decidingRule(rules, region) === index) ?? null;
  const isMixed = rules.some((rule) => rule.regions.some((name) => name.startsWith(`${visitor}-`)));
  return visitor !== null && isMixed ? `${visitor}-${OTHER_PART}` : visitor;
}

/** A subdivision that no rule names: visitors there have the rule of their country. */
export const OTHER_PART = '00';

/** The rows that may decide for a visitor: several where rules name parts of the country and the part is unknown. */
export function possibleRows<Row extends Pick<MatrixRow, 'index' | 'regions'>>(
  rows: Row[],
  region: string,
): Row[] {
  const rules = rows.filter(({ index }) => index !== null);
  const deciding = decidingRule(rules, region) ?? rules.length;
  const isPart = (name: string): boolean => name.startsWith(`${region}-`);
  return rows.filter((row, n) => n === deciding || (n < deciding && row.regions.some(isPart)));
}

/** Countries whose visitors may have different rules, but are recorded without the part of the country that decides. */
export function countriesWithoutParts(
  rules: Pick<RegionRule, 'regions'>[],
  recorded: (string | null)[],
): string[] {
  const named = rules.flatMap(({ regions }) => regions).filter((name) => name.includes('-'));
  return [...new Set(named.map((name) => name.slice(0, 2)))].filter(
    (country) =>
      recorded.includes(country) && !recorded.some((region) => region?.startsWith(`${country}-`) === true),
  );
}

/** Visitors of these are in no rule as a rule. An unknown region is treated as a part of the EU. */
const OTHER_REGIONS = ['AU', 'NZ', 'SG', 'ZA', 'MX', 'IN', 'BR', 'JP', 'CA', 'US', 'CH', 'GB', 'DE', 'XX'];

const namesOf = (region: string): string[] => [
  region,
  region.slice(0, 2),
  ...(isEu(region) ? [EU_GROUP] : []),
];

function statesOf(preset: Preset, version: number): PresetStateResponse[] {
  return preset.versions.find((candidate) => candidate.version === version)?.states ?? [];
}

/** Days begin at 00:00 UTC. */
function isComing({ from }: PresetStateResponse, at: Date): boolean {
  return from !== null && at.getTime() < Date.parse(`${from}T00:00:00.000Z`);
}
