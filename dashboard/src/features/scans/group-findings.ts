import type { FindingResponse } from '../../client/types.gen';

/** Findings on the same item, in the order of the first of each. */
export function groupFindings(findings: readonly FindingResponse[]): FindingResponse[][] {
  const groups = new Map<string, FindingResponse[]>();
  for (const finding of findings) {
    const { id, itemKind, name, host } = finding;
    const key = name === '' && host === '' ? id : JSON.stringify([itemKind, name, host]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()];
}
