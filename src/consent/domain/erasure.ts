/** Topic of the message that has the rest of a visitor's records erased; its subject is the request's id. */
export const ERASURE_REQUESTED = 'erasure.requested';

/** Records that one transaction erases: some tens of milliseconds, and no lock is held for longer. */
export const ERASE_BATCH_MAX = 500;

/** Erasures by visitors' keys that the audit of a project lists one by one each hour; the others are summed up. */
export const VISITOR_ERASURES_LISTED_PER_HOUR = 20;

/** Letters of a reason, which the audit keeps. */
export const REASON_CHARACTERS_MAX = 500;
/** Letters of a value that names a visitor; the additional fields have 4 KiB in all. */
export const VISITOR_CHARACTERS_MAX = 1000;

/** What the records of a visitor are found by: her reference (visitor-reference.ts), or her key (visitor-key.ts). */
export type VisitorHash = { visitorHash: Buffer } | { visitorKeyHash: Buffer };

/** Records that are being erased, for who keeps something of them. */
export interface RecordsErased {
  projectId: string;
  consentIds: string[];
  erasedAt: Date;
}
