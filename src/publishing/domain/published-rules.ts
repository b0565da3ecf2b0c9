import { createHash } from 'node:crypto';
import { CATEGORIES, type Category } from './banner-text.js';
import { allModes, type CategoryModes, type ConsentMode, strictestMode } from './consent-modes.js';
import type { PresetReference, SiteConfiguration } from './configuration.js';
import { requiresSignal } from './preset-modes.js';

/** A region rule in the published document. */
interface PublishedRule {
  regions: string[];
  /** The strictest of `modes`. */
  mode: ConsentMode;
  /** Only where categories differ. */
  modes?: CategoryModes;
  /** Stored with each record: `gb/1`. */
  preset?: string;
  /** Only where it differs from the document's. */
  honorGlobalPrivacyControl?: boolean;
}

/** What a document says about modes and signals. */
export interface PublishedRules {
  defaultMode: ConsentMode;
  defaultModes?: CategoryModes;
  defaultPreset?: string;
  regionRules: PublishedRule[];
  honorGlobalPrivacyControl: boolean;
}

/** The rules of a configuration, as pages load them. */
export function publishedRules(configuration: SiteConfiguration, at: Date): PublishedRules {
  const { categories, defaultModes, defaultPreset, regionRules } = configuration;
  const { mode: defaultMode, modes } = publishedModes(defaultModes, categories);
  const honored = configuration.honorGlobalPrivacyControl || requiresSignal(defaultPreset, at);
  return {
    defaultMode,
    ...(modes && { defaultModes: modes }),
    ...(defaultPreset && { defaultPreset: presetName(defaultPreset) }),
    regionRules: regionRules.map((rule) => {
      const isHonored =
        (rule.honorGlobalPrivacyControl ?? configuration.honorGlobalPrivacyControl) ||
        requiresSignal(rule.preset, at);
      return {
        regions: rule.regions,
        ...publishedModes(rule.modes, categories),
        ...(rule.preset && { preset: presetName(rule.preset) }),
        ...(isHonored !== honored && { honorGlobalPrivacyControl: isHonored }),
      };
    }),
    honorGlobalPrivacyControl: honored,
  };
}

/** A category that the banner does not offer has the strictest mode of those that it offers. */
function publishedModes(
  modes: CategoryModes,
  offered: readonly Category[],
): { mode: ConsentMode; modes?: CategoryModes } {
  const mode = strictestMode(modes, offered);
  const published = allModes(mode);
  for (const category of CATEGORIES)
    if (offered.length === 0 || offered.includes(category)) published[category] = modes[category];
  return new Set(Object.values(published)).size === 1 ? { mode } : { mode, modes: published };
}

const presetName = ({ id, version }: PresetReference): string => `${id}/${version}`;

/** Hexadecimal digits that stand for a service: enough for a hundred of them, and short for every page. */
const SERVICE_DIGITS = 8;

/** Short names of the services that need consent. A new one asks visitors again (loader/prompt-rule.ts). */
export function serviceIdsOf({ services }: SiteConfiguration): string[] {
  const ids = services
    .filter(({ category }) => category !== 'necessary')
    .map(({ category, name }) => digestOf(`${category}/${name}`));
  return [...new Set(ids)];
}

function digestOf(service: string): string {
  return createHash('sha256').update(service).digest('hex').slice(0, SERVICE_DIGITS);
}
