import { allModes, type CategoryModes } from './consent-modes.js';

/** The requirements of a preset from a date on. */
export interface PresetState {
  /** First day on which it applies, UTC `YYYY-MM-DD`; null: from the beginning. */
  from: string | null;
  modes: CategoryModes;
  /** Whether the law requires that Global Privacy Control be honored. */
  requiresSignal: boolean;
}

/** A change of the law is a new state of a version; a correction of ours is a new version. */
export interface PresetVersion {
  version: number;
  /** `YYYY-MM-DD`. */
  reviewedOn: string;
  /** Ascending by `from`. */
  states: PresetState[];
}

/**
 * The requirements of one law, or several similar ones, for a banner. No legal advice:
 * docs/regions.md.
 */
export interface RegionPreset {
  id: string;
  /** As in a region rule: ISO 3166-1, ISO 3166-2 or `EU`. */
  regions: string[];
  law: string;
  sources: { title: string; url: string }[];
  /** Ascending. */
  versions: PresetVersion[];
}

export const OPT_IN = allModes('opt_in');
export const OPT_OUT = allModes('opt_out');
export const NOTICE = allModes('notice');

export function always(modes: CategoryModes): PresetState {
  return { from: null, modes, requiresSignal: false };
}

export function since(from: string, modes: CategoryModes): PresetState {
  return { from, modes, requiresSignal: false };
}

/** The first version of a preset, reviewed on a day. */
export function reviewed(reviewedOn: string, ...states: PresetState[]): PresetVersion[] {
  return [{ version: 1, reviewedOn, states }];
}
