import type { SiteConfiguration } from '../../publishing/domain/configuration.js';
import { certaintyIn, consentCertainty } from './consent-certainty.js';
import { isLonger, parseDuration } from './declared-duration.js';
import { type Finding, type FindingKind, itemFinding } from './finding.js';
import { matchesPattern } from './item-key.js';
import { isOwnStorage } from './own-storage.js';
import type { ScanState } from './scan-state.js';
import type { ClassifiedItem } from './seen-item.js';
import { isStored } from './stored-item.js';

/** The states in which nothing may happen without consent, with the kind of finding in each. */
const STATE_KINDS = {
  before: 'before_consent',
  reject: 'after_refusal',
  withdraw: 'after_withdrawal',
  signal: 'ignores_gpc',
} as const satisfies Partial<Record<ScanState, FindingKind>>;

/** All findings about one item. */
export function itemFindings(
  item: ClassifiedItem,
  published: SiteConfiguration,
  tested: ReadonlySet<ScanState>,
): Finding[] {
  return [
    ...choiceFindings(item, published, tested),
    ...fingerprintFinding(item, tested),
    ...declarationFindings(item, published),
  ];
}

/** What needs consent and was seen without it. */
function choiceFindings(
  item: ClassifiedItem,
  published: SiteConfiguration,
  tested: ReadonlySet<ScanState>,
): Finding[] {
  if (item.kind === 'fingerprint' || item.kind === 'consent_event') return [];
  return item.sightings.flatMap((sighting) => {
    const { state } = sighting;
    if (state === 'accept' || !tested.has(state)) return [];
    const certainty = certaintyIn(state, item, published);
    return certainty === null ? [] : [itemFinding(item, STATE_KINDS[state], certainty, sighting)];
  });
}

function fingerprintFinding(item: ClassifiedItem, tested: ReadonlySet<ScanState>): Finding[] {
  const sighting = item.sightings.find(({ state }) => state !== 'accept' && tested.has(state));
  const { category } = item.classification;
  if (item.kind !== 'fingerprint' || !sighting || category === 'necessary') return [];
  return [itemFinding(item, 'fingerprinting', category === null ? 'open' : 'arguable', sighting)];
}

/** Compares stored items with the published configuration. */
function declarationFindings(item: ClassifiedItem, published: SiteConfiguration): Finding[] {
  const [sighting] = item.sightings;
  if (!sighting || !isStored(item) || isOwnStorage(item)) return [];
  const declared = published.services
    .flatMap(({ cookies }) => cookies)
    .find(({ name }) => matchesPattern(item.name, name));
  if (!declared) {
    const certainty = consentCertainty(item);
    // Another banner may declare it.
    const isShown = published.banner.enabled;
    return certainty === null
      ? []
      : [itemFinding(item, 'undeclared', isShown ? certainty : 'open', sighting)];
  }
  const seconds = parseDuration(declared.duration);
  if (item.kind !== 'cookie' || seconds === null || !isLonger(item.lifetimeSeconds, seconds)) return [];
  const { lifetimeSeconds } = item;
  return [
    {
      ...itemFinding(item, 'longer_than_declared', 'settled', sighting),
      lifetimeSeconds,
      declared: declared.duration,
    },
  ];
}
