import { IMPORT_CATEGORIES, type ImportCategory, type Mapping, type MappingTarget } from './import.js';

/** Usual names of categories, in lower case. A mapping of the owner takes precedence. */
const USUAL: Record<MappingTarget, readonly string[]> = {
  analytics: [
    'analytics',
    'analytical',
    'statistics',
    'performance',
    'measurement',
    'site optimization',
    'c0002',
  ],
  marketing: [
    'marketing',
    'advertising',
    'advertisement',
    'ads',
    'targeting',
    'ad personalization',
    'social media',
    'c0004',
    'c0005',
  ],
  preferences: [
    'preferences',
    'functional',
    'functionality',
    'personalization',
    'content personalization',
    'c0003',
  ],
  ignore: [
    'necessary',
    'strictly necessary',
    'strictly_necessary',
    'strict',
    'essential',
    'required',
    'basic operations',
    'c0001',
  ],
};

const USUAL_TARGETS = new Map<string, MappingTarget>(
  Object.entries(USUAL).flatMap(([target, names]) => names.map((name) => [name, target as MappingTarget])),
);

/**
 * The choices of one consent by their name in the other product. `listed`: the names that were accepted, and the others
 * are not in the file.
 */
export type Choices =
  { kind: 'each'; granted: ReadonlyMap<string, boolean> } | { kind: 'listed'; accepted: readonly string[] };

export interface MappedChoices {
  categories: Record<ImportCategory, boolean>;
  /** Categories for which the file has a choice. */
  known: ImportCategory[];
  /** Names that are mapped to nothing. */
  unmapped: string[];
}

/**
 * A category is granted if all names that are mapped to it are granted. Of a list of accepted names it is granted if at
 * least one of them is mapped to it, and none that the owner mapped to it is missing.
 */
export function mapChoices(choices: Choices, mapping: Mapping): MappedChoices {
  const given: [string, boolean][] =
    choices.kind === 'each' ? [...choices.granted] : choices.accepted.map((name) => [name, true]);
  const states = new Map<ImportCategory, boolean>();
  const unmapped: string[] = [];
  for (const [name, granted] of given) {
    const target = targetOf(name, mapping);
    if (target === undefined) unmapped.push(name);
    else if (target !== 'ignore') states.set(target, (states.get(target) ?? true) && granted);
  }
  if (choices.kind === 'listed') {
    const accepted = new Set(choices.accepted);
    for (const [name, target] of Object.entries(mapping))
      if (target !== 'ignore' && !accepted.has(name)) states.set(target, false);
    for (const category of IMPORT_CATEGORIES) if (!states.has(category)) states.set(category, false);
  }
  return {
    categories: {
      analytics: states.get('analytics') ?? false,
      marketing: states.get('marketing') ?? false,
      preferences: states.get('preferences') ?? false,
    },
    known: IMPORT_CATEGORIES.filter((category) => states.has(category)),
    unmapped,
  };
}

function targetOf(name: string, mapping: Mapping): MappingTarget | undefined {
  return Object.hasOwn(mapping, name) ? mapping[name] : USUAL_TARGETS.get(name.toLowerCase());
}
