import { CATEGORIES } from '../../publishing/domain/banner-text.js';
import { ruleFinder } from '../../publishing/domain/blocking.js';
import type { ServiceCategory, SiteConfiguration } from '../../publishing/domain/configuration.js';
import type { ConsentMode } from '../../publishing/domain/consent-modes.js';
import {
  CERTAINTIES,
  type Certainty,
  type Finding,
  type FindingKind,
  FINDINGS_PER_SCAN_MAX,
  itemFinding,
  newFinding,
  type ScanEvidence,
  usedFinding,
} from './finding.js';
import { isOwnStorage, isStored, matchesPattern } from './item-key.js';
import type { ScanState } from './scan-state.js';
import { type ClassifiedItem, joinUses } from './seen-item.js';

/** The most certain first. States that were not tested have none. */
export function findFindings(evidence: ScanEvidence): Finding[] {
  const tested = new Set(
    evidence.states.filter(({ status }) => status === 'tested').map(({ state }) => state),
  );
  const found = [
    ...evidence.items.flatMap((item) => itemFindings(item, evidence.published, tested)),
    ...declaredNotSeen(evidence, tested),
    ...bannerMissing(evidence),
    ...loaderMissing(evidence),
    ...notBlockedBySite(evidence),
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

/**
 * Declared cookies that appeared in no state. Without a tested acceptance most cannot appear, so
 * there is no finding then.
 */
function declaredNotSeen({ items, published }: ScanEvidence, tested: ReadonlySet<ScanState>): Finding[] {
  if (!tested.has('accept')) return [];
  const stored = items.filter(isStored);
  return published.services
    .flatMap(({ cookies }) => cookies)
    .filter(({ name }) => !stored.some((item) => matchesPattern(item.name, name)))
    .map(({ name }) =>
      newFinding({
        kind: 'declared_not_seen',
        itemKind: 'cookie',
        name,
        host: '',
        certainty: 'open',
        state: 'accept',
        pages: [],
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
    newFinding({
      kind: 'banner_missing',
      itemKind: null,
      name: '',
      host: first.host,
      state: 'before',
      certainty: isOurs ? 'settled' : 'arguable',
      pages: state.pages.length > 0 ? state.pages : [first.number],
    }),
  ];
}

/** Pages without the loader, by host. If no page has it, it may be loaded in another way. */
function loaderMissing({ pages }: ScanEvidence): Finding[] {
  const isUsed = pages.some(({ loaderFound }) => loaderFound);
  const without = pages.filter(({ loaderFound }) => !loaderFound);
  return [...Map.groupBy(without, ({ host }) => host)].map(([host, missing]) =>
    newFinding({
      kind: 'loader_missing',
      itemKind: null,
      name: '',
      host,
      state: 'before',
      certainty: isUsed ? 'settled' : 'open',
      pages: missing.map(({ number }) => number),
    }),
  );
}

/** The states in which nothing may happen without consent, with the kind of finding in each. */
const STATE_KINDS = {
  before: 'before_consent',
  reject: 'after_refusal',
  withdraw: 'after_withdrawal',
  signal: 'ignores_gpc',
} as const satisfies Partial<Record<ScanState, FindingKind>>;

/** All findings about one item. */
function itemFindings(
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

const SECONDS: Readonly<Record<string, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  week: 7 * 86_400,
  month: 30.44 * 86_400,
  year: 365.25 * 86_400,
};

/** Words for the units, in the languages of the banner's default texts. */
const UNITS: readonly [RegExp, string][] = [
  [/^(s|secs?|seconds?|sekunden?)$/, 'second'],
  [/^(mins?|minutes?|minuten?)$/, 'minute'],
  [/^(h|hrs?|hours?|stunden?)$/, 'hour'],
  [/^(d|days?|tage?n?)$/, 'day'],
  [/^(w|weeks?|wochen?)$/, 'week'],
  [/^(months?|monate?n?)$/, 'month'],
  [/^(y|yrs?|years?|jahre?n?)$/, 'year'],
];
const SESSION = /^(the )?(session|sitzung)( ?cookie|s?ende)?$/;
const AMOUNT = /^(\d+(?:[.,]\d+)?|an?|one|eine?)\s*([a-z]+)$/;

/** A duration declared by an owner, in seconds; 0: the session. null: not recognized. */
export function parseDuration(text: string): number | null {
  const words = text.trim().toLowerCase().replace(/\.$/, '');
  if (SESSION.test(words)) return 0;
  const [, amount = '', word = ''] = AMOUNT.exec(words) ?? [];
  const unit = UNITS.find(([pattern]) => pattern.test(word))?.[1];
  if (unit === undefined) return null;
  const count = /\d/.test(amount) ? Number(amount.replace(',', '.')) : 1;
  return count * (SECONDS[unit] ?? 0);
}

/** Months and years have different lengths, and browsers round. */
const TOLERANCE = 1.05;
const TOLERANCE_SECONDS = 3600;

/** Whether a lifetime exceeds the declared one by more than rounding. null: with the session. */
export function isLonger(lifetimeSeconds: number | null, declaredSeconds: number): boolean {
  return lifetimeSeconds !== null && lifetimeSeconds > declaredSeconds * TOLERANCE + TOLERANCE_SECONDS;
}

/**
 * Hosts of blocking rules that pages request before a choice, or name in their HTML without a policy that stops it: the
 * site itself does not block them, and blocker.js can be too late.
 */
function notBlockedBySite({ addresses, published }: ScanEvidence): Finding[] {
  const { enabled, rules } = published.blocking;
  if (!enabled) return [];
  const ruleFor = ruleFinder(rules);
  const ruled = addresses.flatMap((use) => {
    const rule = ruleFor(use.address.replace(/:\d+/, ''));
    return rule && rule.category !== 'necessary' ? [{ rule, use }] : [];
  });
  return [...Map.groupBy(ruled, ({ rule }) => rule.host)].map(([host, group]) => {
    const isCertain = group.some(({ rule, use }) => use.sent && !mayPrecedeChoice(published, rule.category));
    const certainty = isCertain ? 'settled' : 'arguable';
    const uses = group.map(({ use: { page, setBy, sent, initiator } }) => ({ page, setBy, sent, initiator }));
    const seen = { kind: 'not_blocked_by_site', itemKind: 'request', name: '', host, certainty } as const;
    const category = group[0]?.rule.category ?? null;
    return { ...usedFinding({ ...seen, state: 'before' }, joinUses(uses)), category };
  });
}

/** How certain it is that an item may not be there in a state without consent; null: it may. */
function certaintyIn(
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
function consentCertainty(item: ClassifiedItem): Certainty | null {
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
function mayPrecedeChoice(published: SiteConfiguration, category: ServiceCategory): boolean {
  return !modesOf(published, category).includes('opt_in');
}

/** Whether the banner asks before anything else, at least in some regions. */
function asksFirst(published: SiteConfiguration): boolean {
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
