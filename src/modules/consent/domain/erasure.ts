import { monthStart } from '../../../platform/time/instant.js';

/** Topic of the message that erases the rest of a visitor's records; its subject is the request's id. */
export const ERASURE_REQUESTED = 'erasure.requested';

/** Records that one transaction erases. It takes some tens of milliseconds, during which locks are held. */
export const ERASE_BATCH_MAX = 500;

/**
 * Erasures with visitor keys that a project's audit log lists individually each hour; further ones
 * are summarized.
 */
export const VISITOR_ERASURES_LISTED_PER_HOUR = 20;

/** Length of a reason, which the audit log keeps. */
export const REASON_CHARACTERS_MAX = 500;
/** Length of a visitor reference. All additional fields together are limited to 4 KiB. */
export const VISITOR_CHARACTERS_MAX = 1000;

/** Finds a visitor's records: by visitor reference or visitor key (visitor-reference.ts). */
export type VisitorHash = { visitorHash: Buffer } | { visitorKeyHash: Buffer };

export interface RecordsErased {
  projectId: string;
  consentIds: string[];
  erasedAt: Date;
  /** The erasure is repeated after a restore from a backup. */
  isReapplied: boolean;
}

/**
 * Records older than this may be deleted. Retention counts whole months, so each record is kept for
 * at least that long.
 */
export function retentionStart(now: Date, retentionMonths: number): Date {
  return monthStart(now, -retentionMonths);
}
