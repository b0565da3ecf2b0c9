import { namedKey } from '../../outbox/domain/ordering-key.js';
import type { ServiceCategory, SiteConfiguration } from '../../publishing/domain/configuration.js';
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

/** The finding about an item in one state. */
export function itemFinding(
  item: ClassifiedItem,
  kind: FindingKind,
  certainty: Certainty,
  sighting: Sighting,
): Finding {
  const { kind: itemKind, name, host } = item;
  const { state, pages, initiator } = sighting;
  const { category, service } = item.classification;
  return {
    ...newFinding({ kind, itemKind, name, host, certainty, state, pages, initiator }),
    ...{ category, service },
  };
}

/** A finding with its id, which is the same in every scan. */
export function newFinding(
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
