import { namedKey } from '../../../platform/outbox/domain/ordering-key.js';
import type { ServiceCategory, SiteConfiguration } from '../../publishing/domain/configuration.js';
import type { ScanState, StateReason, StateStatus } from './scan-state.js';
import type { ItemKind } from './scan.js';
import type { ClassifiedItem, PageUse, Sighting } from './seen-item.js';

export const FINDING_KINDS = [
  'before_consent',
  'after_refusal',
  'after_withdrawal',
  'ignores_gpc',
  'not_blocked_by_site',
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
  not_blocked_by_site: 'ePrivacy Directive Art. 5(3)',
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
  /** How each of the pages used the item. Empty: the finding is about none, or its cause is unknown. */
  uses: PageUse[];
  /** All states in which the scan saw the item, with or without a finding. Empty: the finding is about none. */
  seenIn: ScanState[];
  /** Host and path of what caused it, on the first page where that is known. */
  initiator: string | null;
  /** Its classification, and the name of its service. */
  category: ServiceCategory | null;
  service: string | null;
  /** Its lifetime in seconds, and the declared one in words; only for `longer_than_declared`. */
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

/** An address of another host that a page requests before a choice, or makes a browser request. */
export interface PageAddress extends PageUse {
  /** Host and path. Where the page did not send a request, it is in its HTML, and no policy of the page stops it. */
  address: string;
}

/** A scan's items, and the project's published configuration. */
export interface ScanEvidence {
  items: readonly ClassifiedItem[];
  states: readonly TestedState[];
  /** Pages that were loaded. */
  pages: readonly VisitedPage[];
  addresses: readonly PageAddress[];
  published: SiteConfiguration;
}

/** The finding about an item in one state. */
export function itemFinding(
  item: ClassifiedItem,
  kind: FindingKind,
  certainty: Certainty,
  sighting: Sighting,
): Finding {
  const { kind: itemKind, name, host } = item;
  const { category, service } = item.classification;
  const seen = { kind, itemKind, name, host, certainty, state: sighting.state };
  const seenIn = item.sightings.map(({ state }) => state);
  return { ...usedFinding(seen, sighting.pages), category, service, seenIn };
}

/** A finding about what pages did. */
export function usedFinding(
  seen: Omit<Parameters<typeof newFinding>[0], 'pages'>,
  pages: readonly PageUse[],
): Finding {
  const uses = foremost(pages);
  return { ...newFinding({ ...seen, pages: pagesOf(uses) }), uses, initiator: initiatorOf(uses) };
}

/** The pages to keep: first the ones that set the item, then the ones that sent it. */
function foremost(pages: readonly PageUse[]): PageUse[] {
  return pages
    .toSorted((a, b) => useRank(a) - useRank(b))
    .slice(0, PAGES_MAX)
    .toSorted((a, b) => a.page - b.page);
}

const useRank = ({ setBy, sent }: PageUse): number => (setBy !== null ? 0 : sent ? 1 : 2);

const pagesOf = (uses: readonly PageUse[]): number[] => uses.map(({ page }) => page);

/** The initiator that set it. An item that is only sent or present has no observed cause. */
function initiatorOf(uses: readonly PageUse[]): string | null {
  const setters = uses.filter(({ setBy }) => setBy !== null);
  const causes = setters.length > 0 ? setters : uses;
  return causes.find(({ initiator }) => initiator !== null)?.initiator ?? null;
}

/** A finding with its id, which is the same in every scan. */
export function newFinding(
  seen: Pick<Finding, 'kind' | 'itemKind' | 'name' | 'host' | 'certainty' | 'state' | 'pages'>,
): Finding {
  const { kind, itemKind, name, host } = seen;
  return {
    ...seen,
    id: namedKey(JSON.stringify(['scan finding', kind, itemKind, name, host])),
    pages: seen.pages.slice(0, PAGES_MAX),
    uses: [],
    seenIn: [],
    initiator: null,
    category: null,
    service: null,
    lifetimeSeconds: null,
    declared: null,
  };
}

/** `new`: in the last scan for the first time. `open`: still there. `accepted`: by the owner, with a reason. */
export const FINDING_STATUSES = ['new', 'open', 'fixed', 'accepted'] as const;
export type FindingStatus = (typeof FINDING_STATUSES)[number];

/** Scans in a row without a finding after which it counts as fixed. */
const MISSES_UNTIL_FIXED = 2;

/** A finding's state over several scans. Ids of scans are in the order of their requests. */
export interface FindingLife {
  status: FindingStatus;
  /** Scans in a row that tested its state and page, and did not see it. */
  misses: number;
  firstScanId: string;
  /** The last scan that saw it. */
  lastScanId: string;
  /** The last scan that was counted. */
  countedScanId: string;
}

/** A scan's result for a finding. `untested`: it tested neither its state nor its pages. */
export type Observation = 'seen' | 'missed' | 'untested';

/**
 * The life after a scan, which may be counted again, for example after a decision; null: a finding that is unknown and
 * was not seen. A scan that is older than the last one counted changes nothing.
 */
export function countScan(
  life: FindingLife | null,
  observation: Observation,
  scanId: string,
): FindingLife | null {
  if (life === null) return observation === 'seen' ? begun(scanId) : null;
  if (scanId < life.countedScanId) return life;
  return scanId === life.countedScanId
    ? countAgain(life, observation)
    : countNext({ ...life, countedScanId: scanId }, observation);
}

function countNext(life: FindingLife, observation: Observation): FindingLife {
  switch (observation) {
    case 'seen':
      if (life.status === 'fixed') return begun(life.countedScanId);
      return {
        ...life,
        misses: 0,
        lastScanId: life.countedScanId,
        status: life.status === 'new' ? 'open' : life.status,
      };
    case 'missed':
      return missed(life, life.misses + 1);
    case 'untested':
      return life;
  }
}

/** The same scan with other decisions: a finding that no longer applies is resolved at once. */
function countAgain(life: FindingLife, observation: Observation): FindingLife {
  const wasSeen = life.lastScanId === life.countedScanId;
  if (observation === 'seen')
    return wasSeen && life.status !== 'fixed'
      ? life
      : {
          ...life,
          misses: 0,
          lastScanId: life.countedScanId,
          status:
            life.status === 'accepted'
              ? 'accepted'
              : life.firstScanId === life.countedScanId
                ? 'new'
                : 'open',
        };
  return wasSeen && life.misses === 0 ? missed(life, MISSES_UNTIL_FIXED) : life;
}

function missed(life: FindingLife, misses: number): FindingLife {
  const isFixed = misses >= MISSES_UNTIL_FIXED && life.status !== 'accepted';
  return { ...life, misses, status: isFixed ? 'fixed' : life.status };
}

function begun(scanId: string): FindingLife {
  return { status: 'new', misses: 0, firstScanId: scanId, lastScanId: scanId, countedScanId: scanId };
}
