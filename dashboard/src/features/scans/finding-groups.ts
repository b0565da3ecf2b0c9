import type { FindingResponse } from '../../client/types.gen';
import type { VerdictTone } from './verdict';

export type ScanState = FindingResponse['state'];
type Certainty = FindingResponse['certainty'];

/** In the order in which they are tested, everywhere. */
export const STATES = ['before', 'reject', 'accept', 'withdraw', 'signal'] as const satisfies ScanState[];
export const CERTAINTIES = ['settled', 'arguable', 'open'] as const satisfies Certainty[];

/** Kinds that are about one state. */
const STATE_KINDS: Partial<Record<ScanState, FindingResponse['kind']>> = {
  before: 'before_consent',
  reject: 'after_refusal',
  withdraw: 'after_withdrawal',
  signal: 'ignores_gpc',
};

/** The findings on one cookie, storage entry or service, or on pages. */
export interface FindingGroup {
  id: string;
  findings: FindingResponse[];
  /** Without accepted ones. */
  current: FindingResponse[];
  /** The finding that it is listed by: the most certain one. */
  first: FindingResponse;
  /** null: all findings are accepted. */
  certainty: Certainty | null;
}

/** Groups of one certainty, under one heading. */
export interface FindingSection {
  tone: VerdictTone;
  title: string;
  text: string;
  groups: FindingGroup[];
}

/** Findings on the same item, in the order of the first of each. `result` of a scan counts in the same way. */
export function groupFindings(findings: readonly FindingResponse[]): FindingGroup[] {
  const groups = Map.groupBy(findings, ({ kind, itemKind, name, host }) =>
    JSON.stringify([itemKind ?? kind, name, host]),
  );
  return [...groups.values()].flatMap((all) => {
    const current = all.filter(({ status }) => status !== 'accepted');
    const sorted = mostCertainFirst(current.length > 0 ? current : all);
    const [first] = sorted;
    if (!first) return [];
    const certainty = current.length > 0 ? first.certainty : null;
    return [{ id: first.id, findings: mostCertainFirst(all), current, first, certainty }];
  });
}

function mostCertainFirst(findings: readonly FindingResponse[]): FindingResponse[] {
  return findings.toSorted((a, b) => CERTAINTIES.indexOf(a.certainty) - CERTAINTIES.indexOf(b.certainty));
}

/** The result of an item in a state. */
export type Mark = 'settled' | 'arguable' | 'open' | 'allowed' | 'absent' | 'untested';

export function markIn(group: FindingGroup, state: ScanState, isTested: boolean): Mark {
  const found = findingIn(group, state);
  if (found) return found.certainty;
  if (!isTested) return 'untested';
  if (!group.first.seenIn.includes(state)) return 'absent';
  return group.certainty === 'open' ? 'open' : 'allowed';
}

/** The finding of a state; else another one that began in it. */
function findingIn({ findings }: FindingGroup, state: ScanState): FindingResponse | undefined {
  const isOfStates = ({ kind }: FindingResponse) => Object.values(STATE_KINDS).includes(kind);
  return (
    findings.find(({ kind }) => kind === STATE_KINDS[state]) ??
    findings.find(
      ({ kind, seenIn }) => kind === 'fingerprinting' && state !== 'accept' && seenIn.includes(state),
    ) ??
    findings.find((finding) => finding.state === state && !isOfStates(finding))
  );
}

/** Groups with a finding that is not accepted about a state, the most certain first. */
export function groupsIn(groups: readonly FindingGroup[], state: ScanState): FindingGroup[] {
  const kind = STATE_KINDS[state];
  return groups.filter(({ current }) => current.some((finding) => finding.kind === kind));
}

/** How certain it is that a state is a problem for an item. */
export function certaintyIn({ current }: FindingGroup, state: ScanState): Certainty | null {
  return current.find(({ kind }) => kind === STATE_KINDS[state])?.certainty ?? null;
}

/** Names of the services of groups, each once. */
export function servicesOf(groups: readonly FindingGroup[]): string[] {
  return [...new Set(groups.flatMap(({ first }) => first.service ?? []))];
}
