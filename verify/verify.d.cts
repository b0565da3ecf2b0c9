/** What was found at one step of a proof, in words. */
export interface FoundStep {
  step: 'record' | 'tree' | 'root log' | 'stamped';
  found: string;
}

/** Where `verifyProof` refuses a proof: the `step` of its error. */
export type RefusedStep =
  | 'keys'
  | 'file'
  | 'record'
  | 'tree: checkpoint'
  | 'tree: path'
  | 'root log'
  | 'root log: checkpoint'
  | 'root log: path';

/** A record whose proof holds. */
export interface VerifiedProof {
  record: { id: string } & Record<string, unknown>;
  checkpoint: { origin: string; size: number };
  isInRootLog: boolean;
  /** The signed note of the root log that it is in; null where it was in none yet. */
  rootCheckpoint: string | null;
  steps: FoundStep[];
}

/** Checks a proof by keys that are trusted. Rejects with an error that has the `step` that failed. */
export function verifyProof(proof: string, keys: string): Promise<VerifiedProof>;

/** Checks that a later checkpoint continues an earlier one. Rejects as above. */
export function verifyConsistency(
  earlier: string,
  later: string,
  hashes: string,
  keys: string,
): Promise<{ earlier: { size: number }; later: { origin: string; size: number } }>;

/** Checks a proof, and that its checkpoint of the root log is continued by a stamped one. Rejects as above. */
export function verifyStamped(
  proof: string,
  stamped: string,
  hashes: string,
  keys: string,
): Promise<{ steps: FoundStep[] }>;

/** Canonical JSON (RFC 8785). */
export function canonical(value: unknown): string;
