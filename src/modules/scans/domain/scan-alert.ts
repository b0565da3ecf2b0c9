import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Role } from '../../access/domain/role.js';
import { isOwnStorage, isStored } from './item-key.js';
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

/** A member whose alerts a link turns off. */
export interface AlertRecipient {
  projectId: string;
  userId: string;
}

const PURPOSE = 'unsubscribe from scan alerts';
const ID_BYTES = 16;
const TAG_BYTES = 32;
/** Base64url of both ids and the tag. */
const TOKEN = /^[\w-]{86}$/;

/** A token for a link in a mail. It works without a session, does not expire, and cannot be guessed without the key. */
export function writeUnsubscribeToken(recipient: AlertRecipient, key: Buffer): string {
  const ids = Buffer.from(`${recipient.projectId}${recipient.userId}`.replaceAll('-', ''), 'hex');
  return Buffer.concat([ids, tag(ids, key)]).toString('base64url');
}

/** The member in a token signed by one of the keys; null: none of them. */
export function readUnsubscribeToken(token: string, keys: readonly Buffer[]): AlertRecipient | null {
  if (!TOKEN.test(token)) return null;
  const bytes = Buffer.from(token, 'base64url');
  const ids = bytes.subarray(0, 2 * ID_BYTES);
  const given = bytes.subarray(2 * ID_BYTES);
  if (given.length !== TAG_BYTES || !keys.some((key) => timingSafeEqual(given, tag(ids, key)))) return null;
  return { projectId: uuidOf(ids.subarray(0, ID_BYTES)), userId: uuidOf(ids.subarray(ID_BYTES)) };
}

function tag(ids: Buffer, key: Buffer): Buffer {
  return createHmac('sha256', key).update(PURPOSE).update(ids).digest();
}

function uuidOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
