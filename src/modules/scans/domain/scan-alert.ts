import type { Role } from '../../access/domain/role.js';
import { isOwnStorage } from './own-storage.js';
import { isStored } from './stored-item.js';
import type { ClassifiedItem } from './seen-item.js';

/** Names that an alert lists; the others are counted. */
const NAMES_MAX = 5;

/** Some names of a list, and how many entries it has. */
interface Sample {
  count: number;
  names: string[];
}

/** What members are mailed about a scan. At least one of the three has entries. */
export interface ScanAlert {
  newItems: Sample;
  /** Items seen before consent, if earlier scans had none of the kind. */
  beforeConsent: Sample;
  /** Hosts without the loader in the last two scans, which had it before. */
  loaderGone: string[];
}

/** A scan's items, compared with earlier scans. */
export interface AlertEvidence {
  items: readonly ClassifiedItem[];
  /** Ids of items that no earlier scan saw; null: there is no earlier scan to compare with. */
  newIds: ReadonlySet<string> | null;
  /** Ids of items with new findings `before_consent`; empty if earlier ones still count. */
  beforeConsentIds: ReadonlySet<string>;
  loaderGone: readonly string[];
}

/** The alert of a scan; null: there is nothing to report. */
export function findAlert(evidence: AlertEvidence): ScanAlert | null {
  const { items, newIds, beforeConsentIds, loaderGone } = evidence;
  const newItems = sample(items.filter((item) => newIds?.has(item.id) === true && isNews(item)));
  const beforeConsent = sample(items.filter(({ id }) => beforeConsentIds.has(id)));
  if (newItems.count + beforeConsent.count + loaderGone.length === 0) return null;
  return { newItems, beforeConsent, loaderGone: [...loaderGone] };
}

/** Items that the owner declared or decided are not new, nor are the items of this service. */
function isNews(item: ClassifiedItem): boolean {
  const { source } = item.classification;
  return !isOwnStorage(item) && source !== 'decision' && source !== 'configuration';
}

/** The names of stored items and of known services. The hosts of unknown ones would be links in a mail. */
function sample(items: readonly ClassifiedItem[]): Sample {
  const names = items.flatMap((item) => {
    const { service, provider } = item.classification;
    return (isStored(item) ? item.name : (service ?? provider)) ?? [];
  });
  return { count: items.length, names: [...new Set(names)].slice(0, NAMES_MAX) };
}

/** Whether a member who has not chosen gets alerts. */
export function getsAlerts(role: Role, chosen: boolean | null): boolean {
  return chosen ?? role === 'owner';
}
