import type { FindingResponse } from '../../client/types.gen';
import type { FindingGroup } from './finding-groups';

/** What ends a group's findings. */
export type Fix =
  | 'script'
  | 'request'
  | 'server'
  | 'decide'
  | 'declare'
  | 'notSeen'
  | 'longer'
  | 'banner'
  | 'loader'
  | 'fingerprint';

/** The fix of the most certain finding. An unknown item needs a decision first. */
export function fixFor({
  first,
  findings,
  certainty,
}: Pick<FindingGroup, 'first' | 'findings' | 'certainty'>): Fix {
  const ofKind = FIXES[first.kind];
  if (ofKind !== undefined) return ofKind;
  if (certainty === 'open') return 'decide';
  if (first.itemKind === 'request') return first.initiator === null ? 'request' : 'script';
  const setBy = findings.flatMap(({ uses }) => uses).find((use) => use.setBy !== null)?.setBy;
  return first.initiator !== null && setBy !== 'response' ? 'script' : 'server';
}

const FIXES: Partial<Record<FindingResponse['kind'], Fix>> = {
  not_blocked_by_site: 'request',
  undeclared: 'declare',
  declared_not_seen: 'notSeen',
  longer_than_declared: 'longer',
  banner_missing: 'banner',
  loader_missing: 'loader',
  fingerprinting: 'fingerprint',
};

/** A script element that waits for its category (docs/loader.md); null: its category is unknown. */
export function waitingScript(address: string, category: FindingResponse['category']): string | null {
  if (category === null || category === 'necessary') return null;
  return `<script type="text/plain"
  data-category="${category}"
  data-src="https://${address}"
></script>`;
}
