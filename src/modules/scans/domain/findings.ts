import { asksFirst, consentCertainty } from './consent-certainty.js';
import {
  CERTAINTIES,
  type Finding,
  type FindingKind,
  FINDINGS_PER_SCAN_MAX,
  newFinding,
  type ScanEvidence,
} from './finding.js';
import { itemFindings } from './item-findings.js';
import { matchesPattern } from './item-key.js';
import type { ScanState } from './scan-state.js';
import { notBlockedBySite } from './site-blocking.js';
import { isStored } from './stored-item.js';

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
