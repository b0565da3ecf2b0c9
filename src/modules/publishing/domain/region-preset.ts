import { type PresetState, REGION_PRESETS, type RegionPreset } from './region-preset-data.js';

export {
  type PresetState,
  type PresetVersion,
  REGION_PRESETS,
  type RegionPreset,
} from './region-preset-data.js';

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
