import type { CategoryModes, ConsentMode } from './consent-modes.js';
import { strictestMode } from './consent-modes.js';
import type { PresetReference, SiteConfiguration } from './configuration.js';
import { findPreset, newestVersion, presetState } from './region-preset.js';

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
