/** What was found at one step of a proof, in words. */
export interface FoundStep {
  step: 'record' | 'scan' | 'tree' | 'root log' | 'stamped';
  found: string;
}

/** Where `verifyProof` refuses a proof: the `step` of its error. */
export type RefusedStep =
  | 'keys'
  | 'file'
  | 'record'
  | 'scan'
  | 'tree: checkpoint'
  | 'tree: path'
  | 'root log'
  | 'root log: checkpoint'
  | 'root log: path';

/** Bytes are decoded as they are: a byte order mark is an altered file. */
export type GivenText = string | ArrayBuffer | Uint8Array;

/** A record or scan whose proof holds. */
export interface VerifiedProof {
  kind: 'record' | 'scan';
  /** null: it is a scan. */
  record: ({ id: string } & Record<string, unknown>) | null;
  /** null: it is a record. */
  scan: ({ id: string } & Record<string, unknown>) | null;
  /** When the record was received or erased, or the scan ended, by the service's clock. */
  instant: unknown;
  checkpoint: { origin: string; size: number };
  isInRootLog: boolean;
  /** The signed note of the root log that it is in; null where the file does not lead to it. */
  rootCheckpoint: string | null;
  steps: FoundStep[];
  /** What limits the proof, in words: a key that has ended, a file that does not lead to the root log. */
  notes: string[];
}

/** The check cannot be made here, as where the browser lacks Ed25519. Says nothing about the proof. */
export class CannotCheck extends Error {
  name: 'CannotCheck';
}

/** Checks a proof by keys that are trusted. Rejects with the `step` that failed, or with `CannotCheck`. */
export function verifyProof(proof: GivenText, keys: GivenText): Promise<VerifiedProof>;

/** Checks that a later checkpoint continues an earlier one. Rejects as above. */
export function verifyConsistency(
  earlier: GivenText,
  later: GivenText,
  hashes: GivenText,
  keys: GivenText,
): Promise<{ earlier: { size: number }; later: { origin: string; size: number }; notes: string[] }>;

/** Checks the statement with which a log begins that continues another one, by the last checkpoint that is held of that. */
export function verifyContinuation(
  statement: GivenText,
  last: GivenText,
  keys: GivenText,
): Promise<{
  origin: string;
  former: { origin: string; size: number };
  reason: string;
  at: string;
  notes: string[];
}>;

/** Checks the statement with which a log begins where no checkpoint of a former log was known. Rejects as above. */
export function verifyBeginning(
  statement: GivenText,
  keys: GivenText,
): Promise<{ origin: string; former: { origin: string; size: number }; reason: string; at: string }>;

/** Checks a proof, and that its checkpoint of the root log is continued by a stamped one. Rejects as above. */
export function verifyStamped(
  proof: GivenText,
  stamped: GivenText,
  hashes: GivenText,
  keys: GivenText,
): Promise<{ steps: FoundStep[] }>;

/** What an error of these functions says, for people: `WRONG …` or `CANNOT CHECK …`. */
export function inWords(error: unknown): string;

/** Canonical JSON (RFC 8785). */
export function canonical(value: unknown): string;
