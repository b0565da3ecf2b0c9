import { CONSENT_ID_AGE_MAX_MS, CONSENT_ID_AHEAD_MAX_MS } from '../../consent/domain/consent-input.js';
import { HASH_PREFIX } from '../../consent/domain/visitor-reference.js';
import { uuidTimeMs } from '../../../platform/identity/ids.js';

/** Maximum difference between the clocks of services and databases. */
const CLOCK_ERROR_MAX_MS = 60 * 60_000;

const HASHED_VALUE = new RegExp(`^${HASH_PREFIX}[0-9a-f]{64}$`);

/** How a record, or its erasure, differs from the log. */
type RecordFault = 'changed' | 'missing' | 'backdated' | 'unlisted';

/** A fault with its reason, which continues a sentence. */
export interface RecordFinding {
  kind: RecordFault;
  detail: string;
}

/** A stored record, or the row of its erasure. */
export interface StoredItem {
  isErasure: boolean;
  /** When it was received or erased. */
  instant: Date;
  /** Whether the sequencer has passed its transaction, so that it has a leaf. */
  isSequenced: boolean;
  /** Whether its transaction is not older than the log, so that it has a leaf independently of clocks. */
  isSinceBegin: boolean;
  /** An import stored it, long after the time in its id. */
  isImported: boolean;
}

/** The database rows of one consent id, read in one snapshot. */
export interface CheckedId {
  id: string;
  /** null: neither a record nor an erasure is stored. */
  stored: StoredItem | null;
  /** The leaf of the id; null: none. */
  leaf: { isErasure: boolean } | null;
  /** When evidence was turned on. */
  beginsAt: Date;
}

/** Result of comparing rows alone; `compare`: the commitment must be compared with the log. */
export type RowsVerdict = RecordFinding | { kind: 'compare' } | { kind: 'pending' };

/** Dates come first: a changed date changes the commitment too, and `backdated` names the cause. */
export function judgeRows({ id, stored, leaf, beginsAt }: CheckedId): RowsVerdict {
  if (!stored) {
    if (!leaf) return { kind: 'pending' };
    const what = leaf.isErasure
      ? 'The row of its erasure is missing.'
      : 'It is missing, and no erasure is stored.';
    return { kind: 'missing', detail: what };
  }
  if (leaf?.isErasure !== stored.isErasure) {
    const isSince = stored.isSinceBegin || msFrom(beginsAt, stored.instant) > CLOCK_ERROR_MAX_MS;
    const isLate = stored.isSequenced && isSince;
    if (!isLate) return { kind: 'pending' };
    const what = stored.isErasure ? 'Its erasure' : 'It';
    return {
      kind: 'backdated',
      detail: `${what} has an older transaction than records that are in the log already.`,
    };
  }
  const detail = stored.isErasure
    ? null
    : dateProblem(id, stored.instant, { beginsAt, isImported: stored.isImported });
  return detail === null ? { kind: 'compare' } : { kind: 'backdated', detail };
}

/**
 * Why the date of a record in the log cannot be right; null: it can. `beginsAt` null: the start of
 * the log is unknown. The id of an imported record has the time at which the consent was given.
 */
export function dateProblem(
  id: string,
  receivedAt: Date,
  { beginsAt = null, isImported }: { beginsAt?: Date | null; isImported: boolean },
): string | null {
  const received = `received_at is ${receivedAt.toISOString()}`;
  if (beginsAt && msFrom(receivedAt, beginsAt) > CLOCK_ERROR_MAX_MS)
    return `${received}, but evidence was turned on at ${beginsAt.toISOString()}.`;
  const createdAt = new Date(uuidTimeMs(id));
  const ageMs = msFrom(createdAt, receivedAt);
  const isPossible =
    ageMs >= -(CONSENT_ID_AHEAD_MAX_MS + CLOCK_ERROR_MAX_MS) &&
    (isImported || ageMs <= CONSENT_ID_AGE_MAX_MS + CLOCK_ERROR_MAX_MS);
  return isPossible ? null : `${received}, but its id was created at ${createdAt.toISOString()}.`;
}

/** The field of a project's records that identifies a visitor; null: the project never had one. */
export type HashedField = { field: string | null } | null;

/**
 * Whether a visitor reference in a record may have been replaced by its hash since the record was
 * added to the log, by the project's setting. Such a record cannot be compared: the log has a
 * commitment to the original value. If the project no longer has a field, its name is unknown.
 */
export function mayBeHashedSince(extra: Record<string, unknown> | null, hashed: HashedField): boolean {
  if (hashed === null) return false;
  const { field } = hashed;
  const values = field === null ? Object.values(extra ?? {}) : [extra?.[field]];
  return values.some((value) => typeof value === 'string' && HASHED_VALUE.test(value));
}

const msFrom = (earlier: Date, later: Date): number => later.getTime() - earlier.getTime();
