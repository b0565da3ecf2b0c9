import { ruleFinder } from '../../publishing/domain/blocking.js';
import { mayPrecedeChoice } from './consent-certainty.js';
import { type Finding, type ScanEvidence, usedFinding } from './finding.js';
import { joinUses } from './seen-item.js';

/**
 * Hosts of blocking rules that pages request before a choice, or name in their HTML without a policy that stops it: the
 * site itself does not block them, and blocker.js can be too late.
 */
export function notBlockedBySite({ addresses, published }: ScanEvidence): Finding[] {
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
