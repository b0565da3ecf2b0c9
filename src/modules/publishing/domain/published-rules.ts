import { createHash } from 'node:crypto';
import { CATEGORIES, type Category } from './banner-text.js';
import {
  allModes,
  type CategoryModes,
  CONSENT_MODES,
  type ConsentMode,
  strictestMode,
} from './consent-modes.js';
import type { PresetReference, SiteConfiguration } from './configuration.js';
import { requiresSignal } from './region-preset.js';
import { EU_GROUP, isEu, UNKNOWN_REGION } from './region.js';

/** A region rule in the published document. */
interface PublishedRule {
  regions: string[];
  /** The strictest of `modes`. */
  mode: ConsentMode;
  /** Only where categories differ. */
  modes?: CategoryModes;
  /** Stored with each record: `gb/1`. */
  preset?: string;
  /** Only if it differs from the document's. */
  honorGlobalPrivacyControl?: boolean;
}

/** The modes and signals in a document. */
export interface PublishedRules {
  defaultMode: ConsentMode;
  defaultModes?: CategoryModes;
  defaultPreset?: string;
  regionRules: PublishedRule[];
  honorGlobalPrivacyControl: boolean;
}

/** The rules of a configuration, as pages load them. */
export function publishedRules(configuration: SiteConfiguration, at: Date): PublishedRules {
  const { categories } = configuration;
  const rows = ruleRows(configuration, at);
  const fallback = rows.at(-1) as RuleRow;
  const { mode: defaultMode, modes } = publishedModes(fallback.modes, categories);
  return {
    defaultMode,
    ...(modes && { defaultModes: modes }),
    ...(fallback.preset && { defaultPreset: fallback.preset }),
    regionRules: withUnknownParts(rows)
      .slice(0, -1)
      .map((row) => ({
        regions: row.regions,
        ...publishedModes(row.modes, categories),
        ...(row.preset && { preset: row.preset }),
        ...(row.isHonored !== fallback.isHonored && { honorGlobalPrivacyControl: row.isHonored }),
      })),
    honorGlobalPrivacyControl: fallback.isHonored,
  };
}

/** The rule of some regions; the last row is for all others. */
interface RuleRow {
  regions: string[];
  modes: CategoryModes;
  preset?: string;
  isHonored: boolean;
}

function ruleRows(configuration: SiteConfiguration, at: Date): RuleRow[] {
  const { defaultModes, defaultPreset, regionRules, honorGlobalPrivacyControl } = configuration;
  const rowOf = (
    regions: string[],
    modes: CategoryModes,
    { preset, isOn }: { preset: PresetReference | null | undefined; isOn: boolean },
  ): RuleRow => ({
    regions,
    modes,
    isHonored: isOn || requiresSignal(preset, at),
    ...(preset && { preset: presetName(preset) }),
  });
  return [
    ...regionRules.map((rule) =>
      rowOf(rule.regions, rule.modes, {
        preset: rule.preset,
        isOn: rule.honorGlobalPrivacyControl ?? honorGlobalPrivacyControl,
      }),
    ),
    rowOf([], defaultModes, { preset: defaultPreset, isOn: honorGlobalPrivacyControl }),
  ];
}

/**
 * Adds a row for visitors of each country whose subdivision is unknown: it has the strictest mode of all rows
 * that may apply to them, and honors the signal if any of these does. `US-` identifies these visitors.
 */
function withUnknownParts(rows: RuleRow[]): RuleRow[] {
  const named = rows.flatMap(({ regions }) => regions.filter((region) => region.includes('-')));
  let result = rows;
  for (const country of new Set(named.map((region) => region.slice(0, 2)))) {
    // The first row that names a region decides, so a subdivision in a row behind the country's has no rule.
    const own = rows.findIndex((row) => isCountryIn(country, row) || row === rows.at(-1));
    const possible = rows
      .slice(0, own + 1)
      .filter((row, n) => n === own || row.regions.some((region) => region.startsWith(`${country}-`)));
    result = withRowAhead(result, rows[own] as RuleRow, strictestRow(possible, `${country}-`));
  }
  // A visitor whose country is unknown may be in any region, as far as the signal is concerned.
  const own = rows.find((row) => isCountryIn(UNKNOWN_REGION, row)) ?? (rows.at(-1) as RuleRow);
  const isHonored = rows.some((row) => row.isHonored);
  return withRowAhead(result, own, { ...own, regions: [UNKNOWN_REGION], isHonored });
}

/** Omits a row that equals the next one. */
function withRowAhead(rows: RuleRow[], own: RuleRow, row: RuleRow): RuleRow[] {
  const isSame = row.isHonored === own.isHonored && hasModes(row, own.modes);
  return isSame ? rows : rows.toSpliced(rows.indexOf(own), 0, row);
}

const hasModes = (row: RuleRow, modes: CategoryModes): boolean =>
  CATEGORIES.every((category) => row.modes[category] === modes[category]);

const isCountryIn = (country: string, { regions }: RuleRow): boolean =>
  regions.includes(country) || (regions.includes(EU_GROUP) && isEu(country));

/** Named after the preset with the same modes; without a name if no single one has them. */
function strictestRow(possible: RuleRow[], name: string): RuleRow {
  const modes = Object.fromEntries(
    CATEGORIES.map((category) => [
      category,
      CONSENT_MODES.find((mode) => possible.some((row) => row.modes[category] === mode)),
    ]),
  ) as CategoryModes;
  const isHonored = possible.some((row) => row.isHonored);
  const same = possible.find((row) => row.isHonored === isHonored && hasModes(row, modes));
  return { regions: [name], modes, isHonored, ...(same?.preset && { preset: same.preset }) };
}

/** A category that the banner does not offer has the strictest mode of the offered ones. */
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

/** Hexadecimal digits of a service's id: enough for a hundred of them, and short for every page. */
const SERVICE_DIGITS = 8;

/** Ids of the services that need consent. A new one requires a new choice (loader/prompt-rule.ts). */
export function serviceIdsOf({ services, serviceChoice }: SiteConfiguration): string[] {
  const ids = services
    .filter(({ category }) => category !== 'necessary')
    .map(({ id, category, name }) => (serviceChoice && id) || digestOf(`${category}/${name}`));
  return [...new Set(ids)];
}

function digestOf(service: string): string {
  return createHash('sha256').update(service).digest('hex').slice(0, SERVICE_DIGITS);
}
