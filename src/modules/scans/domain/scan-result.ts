import type { FindingKind } from './finding.js';

/** Kinds of findings, the one that a site's owner fixes first at the beginning. */
const WORST_FIRST: readonly FindingKind[] = [
  'before_consent',
  'after_refusal',
  'after_withdrawal',
  'ignores_gpc',
  'banner_missing',
  'loader_missing',
  'not_blocked_by_site',
  'longer_than_declared',
  'undeclared',
  'declared_not_seen',
  'fingerprinting',
];

/** Clear problems of one kind. */
export interface ProblemCount {
  kind: FindingKind;
  /** Cookies and storage entries. */
  cookies: number;
  /** Services that were requested. */
  services: number;
}

/** The difference to the scan before. */
export interface ResultChange {
  since: string;
  /** When that scan ended. */
  at: Date;
  settled: number;
  arguable: number;
  open: number;
  /** Items with findings that the scan before had none of, and the reverse. */
  added: number;
  removed: number;
}

/**
 * A scan's findings in numbers. Each item counts once, by its most certain finding, and so does each finding that is about
 * pages. Accepted findings are left out.
 */
export interface ScanResult {
  settled: number;
  arguable: number;
  open: number;
  /** The first kind of clear problem; null: there is none. */
  worst: ProblemCount | null;
  /** Cookies and entries without a finding: declared, or necessary. */
  declared: number;
  /** null: no scan before has a result. */
  change: ResultChange | null;
}

export function worstProblem(problems: readonly ProblemCount[]): ProblemCount | null {
  return problems.toSorted((a, b) => WORST_FIRST.indexOf(a.kind) - WORST_FIRST.indexOf(b.kind))[0] ?? null;
}
