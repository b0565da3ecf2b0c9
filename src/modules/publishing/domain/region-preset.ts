import type { PresetReference, SiteConfiguration } from './configuration.js';
import { type CategoryModes, type ConsentMode, strictestMode } from './consent-modes.js';
import type { PresetState, RegionPreset } from './preset-state.js';
import { REGION_PRESETS } from './region-preset-data.js';

export type { PresetState, PresetVersion, RegionPreset } from './preset-state.js';
export { REGION_PRESETS } from './region-preset-data.js';

export function findPreset(id: string): RegionPreset | undefined {
  return REGION_PRESETS.find((preset) => preset.id === id);
}

export function newestVersion(preset: RegionPreset): number {
  return Math.max(...preset.versions.map(({ version }) => version));
}

/** The state of a version at an instant; undefined for an unknown version. */
export function presetState(preset: RegionPreset, version: number, at: Date): PresetState | undefined {
  return statesOf(preset, version).findLast((state) => !isComing(state, at));
}

/** States of the version that take effect after `at`. */
export function comingStates(preset: RegionPreset, version: number, at: Date): PresetState[] {
  return statesOf(preset, version).filter((state) => isComing(state, at));
}

function statesOf(preset: RegionPreset, version: number): PresetState[] {
  return preset.versions.find((candidate) => candidate.version === version)?.states ?? [];
}

function isComing({ from }: PresetState, at: Date): boolean {
  return from !== null && at.getTime() < Date.parse(`${from}T00:00:00.000Z`);
}

/**
 * A configuration with the modes of its presets at a time. With `presetUpdates`, the newest version
 * of each preset applies. A rule without a preset, or with an unknown one, is unchanged.
 */
export function withPresetModes(configuration: SiteConfiguration, at: Date): SiteConfiguration {
  const { defaultPreset, presetUpdates } = configuration;
  const byDefault = defaultPreset && modesOf(defaultPreset, presetUpdates, at);
  return {
    ...configuration,
    ...(byDefault && {
      defaultMode: byDefault.mode,
      defaultModes: byDefault.modes,
      defaultPreset: byDefault.preset,
    }),
    regionRules: configuration.regionRules.map((rule) => ({
      ...rule,
      ...(rule.preset && modesOf(rule.preset, presetUpdates, at)),
    })),
  };
}

/** Whether the law behind a preset requires that Global Privacy Control be honored at an instant. */
export function requiresSignal(preset: PresetReference | null | undefined, at: Date): boolean {
  const known = preset && findPreset(preset.id);
  return known ? (presetState(known, preset.version, at)?.requiresSignal ?? false) : false;
}

function modesOf(
  { id, version }: PresetReference,
  isUpdated: boolean,
  at: Date,
): { mode: ConsentMode; modes: CategoryModes; preset: PresetReference } | null {
  const preset = findPreset(id);
  if (!preset) return null;
  const applied = isUpdated ? newestVersion(preset) : version;
  const state = presetState(preset, applied, at);
  return (
    (state && {
      mode: strictestMode(state.modes),
      modes: { ...state.modes },
      preset: { id, version: applied },
    }) ??
    null
  );
}
