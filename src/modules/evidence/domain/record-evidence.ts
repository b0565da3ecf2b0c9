/** The body of a forwarded record with its evidence. */
export interface BodyWithEvidence {
  /** The canonical JSON that the commitment covers; the request body starts with the same bytes. */
  canonical: string;
  evidence: RecordEvidence;
}

/** Sent with a forwarded record, so that the receiver's archive is a witness (docs/evidence.md). */
interface RecordEvidence {
  /** base64 of 32 bytes. */
  salt: string;
  /** base64 of SHA-256 over the salt and the canonical record. */
  commitment: string;
  /** The newest signed checkpoint of the project's log; null before the first. The record itself is added later. */
  checkpoint: string | null;
}
