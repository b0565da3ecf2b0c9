import { CATEGORIES } from '../../publishing/domain/banner-text.js';
import type { ServiceCategory, SiteConfiguration } from '../../publishing/domain/configuration.js';
import type { ConsentMode } from '../../publishing/domain/consent-modes.js';
import type { Certainty } from './finding.js';
import { isOwnStorage } from './item-key.js';
import type { ScanState } from './scan-state.js';
import type { ClassifiedItem } from './seen-item.js';

/** How certain it is that an item may not be there in a state without consent; null: it may. */
export function certaintyIn(
  state: Exclude<ScanState, 'accept'>,
  item: ClassifiedItem,
  published: SiteConfiguration,
): Certainty | null {
  const certainty = consentCertainty(item);
  if (certainty === null) return null;
  if (state === 'signal') return signalCertainty(item, certainty);
  const modes = modesOf(published, item.classification.category);
  // The grants without a choice: before it, anything but opt-in; after a refusal, only what cannot
  // be refused.
  const isForbidden = state === 'before' ? modes.includes('opt_in') : modes.some((mode) => mode !== 'none');
  return isForbidden ? certainty : atMostArguable(certainty);
}

/** How certain it is that an item needs consent; null: it does not, or nothing suggests it. */
export function consentCertainty(item: ClassifiedItem): Certainty | null {
  const { category, source, certainty } = item.classification;
  if (isOwnStorage(item) || category === 'necessary') return null;
  if (category === null) return item.kind === 'request' ? null : unknownCertainty(item);
  if (source === 'decision' || source === 'configuration') return 'settled';
  if (certainty === 'guess' || category === 'preferences') return 'arguable';
  return item.kind === 'request' && item.types.every((type) => LOADED.has(type)) ? 'arguable' : 'settled';
}

/** Requests that load a service's file, and send no data about the visitor yet. */
const LOADED: ReadonlySet<string> = new Set(['script', 'stylesheet', 'font']);

/** For an item without a category: its service is unknown, or only its other items have one. */
function unknownCertainty(item: ClassifiedItem): Certainty {
  const isProposed = item.classification.proposed.length > 0;
  return item.thirdParty && !isSession(item) && !isProposed ? 'arguable' : 'open';
}

function isSession({ kind, lifetimeSeconds }: ClassifiedItem): boolean {
  return kind === 'session_storage' || (kind === 'cookie' && lifetimeSeconds === null);
}

/** The signal opts out of sale and sharing, which is what marketing does. */
function signalCertainty(
  { classification: { category } }: ClassifiedItem,
  certainty: Certainty,
): Certainty | null {
  if (category === 'marketing') return certainty;
  return category === 'analytics' ? atMostArguable(certainty) : null;
}

function atMostArguable(certainty: Certainty): Certainty {
  return certainty === 'settled' ? 'arguable' : certainty;
}

/** Whether a category may be used before a choice in all regions. */
export function mayPrecedeChoice(published: SiteConfiguration, category: ServiceCategory): boolean {
  return !modesOf(published, category).includes('opt_in');
}

/** Whether the banner asks before anything else, at least in some regions. */
export function asksFirst(published: SiteConfiguration): boolean {
  return modesOf(published, null).includes('opt_in');
}

/** The modes of a category in all regions; of all categories if it is unknown. */
function modesOf(
  { defaultModes, regionRules }: SiteConfiguration,
  category: ServiceCategory | null,
): ConsentMode[] {
  const categories = category === null || category === 'necessary' ? CATEGORIES : [category];
  return [defaultModes, ...regionRules.map(({ modes }) => modes)].flatMap((modes) =>
    categories.map((each) => modes[each]),
  );
}
