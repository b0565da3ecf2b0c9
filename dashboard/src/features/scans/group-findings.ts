import type { FindingDto } from '../../client/types.gen';

/** Findings on the same item, in the order of the first of each. */
export function groupFindings(findings: readonly FindingDto[]): FindingDto[][] {
  const groups = new Map<string, FindingDto[]>();
  for (const finding of findings) {
    const { id, itemKind, name, host } = finding;
    const key = name === '' && host === '' ? id : JSON.stringify([itemKind, name, host]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()];
}
