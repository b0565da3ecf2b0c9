/** A record as it is forwarded where it is sealed. */
export interface SealedBody {
  /** The canonical JSON that the commitment is over: what is sent begins with the same bytes. */
  canonical: string;
  evidence: RecordEvidence;
}

/** What goes with a forwarded record, so that its receiver's archive is a witness (docs/evidence.md). */
interface RecordEvidence {
  /** base64 of 32 bytes. */
  salt: string;
  /** base64 of SHA-256 over the salt and the canonical record. */
  commitment: string;
  /** The newest signed checkpoint of the project's log; null before the first. The record itself is sealed later. */
  checkpoint: string | null;
}
