import type { ServiceCategory, SiteConfiguration } from '../../publishing/domain/configuration.js';
import { isLonger, parseDuration } from './declared-duration.js';
import { matchesPattern } from './item-key.js';
import { namedKey } from '../../outbox/domain/ordering-key.js';
import { isOwnStorage } from './own-storage.js';
import type { ItemKind } from './scan.js';
import type { ScanState, StateReason, StateStatus } from './scan-state.js';
import type { ClassifiedItem, Sighting } from './seen-item.js';

export const FINDING_KINDS = [
  'before_consent',
  'after_refusal',
  'after_withdrawal',
  'ignores_gpc',
  'undeclared',
  'declared_not_seen',
  'longer_than_declared',
  'banner_missing',
  'loader_missing',
  'fingerprinting',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** `settled`: the rule plainly covers it. `arguable`: it depends on its purpose. `open`: too little is known. */
export const CERTAINTIES = ['settled', 'arguable', 'open'] as const;
export type Certainty = (typeof CERTAINTIES)[number];

/** The rule that an observation touches. Whether it is kept is for the owner to judge. */
export const FINDING_RULES: Readonly<Record<FindingKind, string>> = {
  before_consent: 'ePrivacy Directive Art. 5(3)',
  after_refusal: 'ePrivacy Directive Art. 5(3), GDPR Art. 4(11)',
  after_withdrawal: 'GDPR Art. 7(3)',
  ignores_gpc: 'CCPA Regulations §7025',
  undeclared: 'ePrivacy Directive Art. 5(3), GDPR Art. 13',
  declared_not_seen: 'GDPR Art. 5(1)(a)',
  longer_than_declared: 'GDPR Art. 13(2)(a)',
  banner_missing: 'ePrivacy Directive Art. 5(3)',
  loader_missing: 'GDPR Art. 7(1)',
  fingerprinting: 'ePrivacy Directive Art. 5(3), EDPB Guidelines 2/2023',
};

/** Findings kept of one scan: the most certain ones. */
export const FINDINGS_PER_SCAN_MAX = 1000;
/** Pages kept of one finding. */
const PAGES_MAX = 50;

export interface Finding {
  /** The same in every scan. */
  id: string;
  kind: FindingKind;
  itemKind: ItemKind | null;
  /** Of the item, or of the declared cookie; empty: of a request or a page. */
  name: string;
  host: string;
  certainty: Certainty;
  state: ScanState;
  /** Numbers of the pages, ascending. Empty: it concerns the scan as a whole. */
  pages: number[];
  /** Host and path of what caused it. */
  initiator: string | null;
  /** What it is classified as, and the name of its service. */
  category: ServiceCategory | null;
  service: string | null;
  /** How long it lasts, in seconds, and what is declared, in words; only of `longer_than_declared`. */
  lifetimeSeconds: number | null;
  declared: string | null;
}

export interface TestedState {
  state: ScanState;
  status: StateStatus;
  reason: StateReason | null;
  pages: number[];
}

interface VisitedPage {
  number: number;
  host: string;
  loaderFound: boolean;
}

/** What a scan saw, and what the project publishes. */
export interface ScanEvidence {
  items: readonly ClassifiedItem[];
  states: readonly TestedState[];
  /** Pages that were loaded. */
  pages: readonly VisitedPage[];
  published: SiteConfiguration;
}

/** The states in which nothing that needs consent may happen, with the kind of finding in each. */
const STATE_KINDS = {
  before: 'before_consent',
  reject: 'after_refusal',
  withdraw: 'after_withdrawal',
  signal: 'ignores_gpc',
} as const satisfies Partial<Record<ScanState, FindingKind>>;

/** The most certain first. States that were not tested have none. */
export function findFindings(evidence: ScanEvidence): Finding[] {
  const tested = new Set(
    evidence.states.filter(({ status }) => status === 'tested').map(({ state }) => state),
  );
  const found = [
    ...evidence.items.flatMap((item) => [
      ...choiceFindings(item, evidence.published, tested),
      ...fingerprintFinding(item, tested),
      ...declarationFindings(item, evidence.published),
    ]),
    ...declaredNotSeen(evidence, tested),
    ...bannerMissing(evidence),
    ...loaderMissing(evidence),
  ];
  return found
    .toSorted((a, b) => CERTAINTIES.indexOf(a.certainty) - CERTAINTIES.indexOf(b.certainty))
    .slice(0, FINDINGS_PER_SCAN_MAX);
}

/** A finding of an earlier scan, with the addresses of its pages. */
export interface EarlierFinding {
  kind: FindingKind;
  state: ScanState;
  pageUrls: readonly string[];
}

/** Whether a scan would have seen an earlier finding. `visited` are the addresses that it visited in each tested state. */
export function isTestedBy(
  { kind, state, pageUrls }: EarlierFinding,
  visited: ReadonlyMap<ScanState, ReadonlySet<string>>,
): boolean {
  // No banner appeared: only a choice in one shows that it is back.
  if (kind === 'banner_missing') return visited.has('reject') || visited.has('accept');
  const urls = visited.get(state);
  return urls !== undefined && (pageUrls.length === 0 || pageUrls.some((url) => urls.has(url)));
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
    return certainty === null ? [] : [ofItem(item, STATE_KINDS[state], certainty, sighting)];
  });
}

function certaintyIn(
  state: keyof typeof STATE_KINDS,
  item: ClassifiedItem,
  published: SiteConfiguration,
): Certainty | null {
  const certainty = consentCertainty(item);
  if (certainty === null) return null;
  if (state === 'signal') return signalCertainty(item, certainty);
  return state === 'before' && !asksFirst(published) ? atMostArguable(certainty) : certainty;
}

/** How certain it is that an item needs consent; null: it does not, or nothing suggests it. */
function consentCertainty(item: ClassifiedItem): Certainty | null {
  const { category, source, certainty } = item.classification;
  if (isOwnStorage(item) || category === 'necessary') return null;
  if (category === null) return item.kind === 'request' ? null : unknownCertainty(item);
  if (source === 'decision' || source === 'configuration') return 'settled';
  if (certainty === 'guess' || category === 'preferences') return 'arguable';
  return item.kind === 'request' && item.types.every((type) => LOADED.has(type)) ? 'arguable' : 'settled';
}

/** Requests that load a file of a service, and report nothing about the visitor yet. */
const LOADED: ReadonlySet<string> = new Set(['script', 'stylesheet', 'font']);

/** Of a service that has a category for its other items, but not for this one, or that nobody knows. */
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

/** Whether the banner asks before anything else, at least in some regions. */
function asksFirst({ defaultMode, regionRules }: SiteConfiguration): boolean {
  return defaultMode === 'opt_in' || regionRules.some(({ mode }) => mode === 'opt_in');
}

function fingerprintFinding(item: ClassifiedItem, tested: ReadonlySet<ScanState>): Finding[] {
  const sighting = item.sightings.find(({ state }) => state !== 'accept' && tested.has(state));
  const { category } = item.classification;
  if (item.kind !== 'fingerprint' || !sighting || category === 'necessary') return [];
  return [ofItem(item, 'fingerprinting', category === null ? 'open' : 'arguable', sighting)];
}

/** What is stored, beside what the published configuration says about it. */
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
    return certainty === null ? [] : [ofItem(item, 'undeclared', isShown ? certainty : 'open', sighting)];
  }
  const seconds = parseDuration(declared.duration);
  if (item.kind !== 'cookie' || seconds === null || !isLonger(item.lifetimeSeconds, seconds)) return [];
  const { lifetimeSeconds } = item;
  return [
    {
      ...ofItem(item, 'longer_than_declared', 'settled', sighting),
      lifetimeSeconds,
      declared: declared.duration,
    },
  ];
}

const STORED: ReadonlySet<ItemKind> = new Set<ItemKind>([
  'cookie',
  'local_storage',
  'session_storage',
  'indexed_db',
]);

export function isStored({ kind }: { kind: ItemKind }): boolean {
  return STORED.has(kind);
}

/** Declared cookies that appeared in no state. Without acceptance most cannot appear, so nothing is said then. */
function declaredNotSeen({ items, published }: ScanEvidence, tested: ReadonlySet<ScanState>): Finding[] {
  if (!tested.has('accept')) return [];
  const stored = items.filter(isStored);
  return published.services
    .flatMap(({ cookies }) => cookies)
    .filter(({ name }) => !stored.some((item) => matchesPattern(item.name, name)))
    .map(({ name }) =>
      finding({
        ...{
          kind: 'declared_not_seen',
          itemKind: 'cookie',
          name,
          host: '',
          certainty: 'open',
          state: 'accept',
        },
        ...{ pages: [], initiator: null },
      }),
    );
}

/** Our banner is on, and none appeared; or no banner is there, and something needs one. */
function bannerMissing({ states, pages, items, published }: ScanEvidence): Finding[] {
  const state = states.find(({ status, reason }) => status === 'not_tested' && reason === 'no_banner');
  const [first] = pages;
  if (!state || !first || !asksFirst(published)) return [];
  const isOurs = published.banner.enabled && pages.some(({ loaderFound }) => loaderFound);
  const needsOne = items.some(
    (item) =>
      item.sightings.some((sighting) => sighting.state === 'before') && consentCertainty(item) === 'settled',
  );
  if (!isOurs && !needsOne) return [];
  return [
    finding({
      ...{
        kind: 'banner_missing',
        itemKind: null,
        name: '',
        host: first.host,
        state: 'before',
        initiator: null,
      },
      certainty: isOurs ? 'settled' : 'arguable',
      pages: state.pages.length > 0 ? state.pages : [first.number],
    }),
  ];
}

/** Pages without the loader, by host. Where no page has it, it may be loaded in another way. */
function loaderMissing({ pages }: ScanEvidence): Finding[] {
  const isUsed = pages.some(({ loaderFound }) => loaderFound);
  const without = pages.filter(({ loaderFound }) => !loaderFound);
  return [...Map.groupBy(without, ({ host }) => host)].map(([host, missing]) =>
    finding({
      ...{ kind: 'loader_missing', itemKind: null, name: '', host, state: 'before', initiator: null },
      certainty: isUsed ? 'settled' : 'open',
      pages: missing.map(({ number }) => number),
    }),
  );
}

function ofItem(item: ClassifiedItem, kind: FindingKind, certainty: Certainty, sighting: Sighting): Finding {
  const { kind: itemKind, name, host } = item;
  const { state, pages, initiator } = sighting;
  const { category, service } = item.classification;
  return {
    ...finding({ kind, itemKind, name, host, certainty, state, pages, initiator }),
    ...{ category, service },
  };
}

function finding(
  seen: Omit<Finding, 'id' | 'category' | 'service' | 'lifetimeSeconds' | 'declared'>,
): Finding {
  const { kind, itemKind, name, host } = seen;
  return {
    ...seen,
    id: namedKey(JSON.stringify(['scan finding', kind, itemKind, name, host])),
    pages: seen.pages.slice(0, PAGES_MAX),
    ...{ category: null, service: null, lifetimeSeconds: null, declared: null },
  };
}
