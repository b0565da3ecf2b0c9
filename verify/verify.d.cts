/** What was found at one step of a proof, in words. */
export interface FoundStep {
  step: 'record' | 'tree' | 'root log';
  found: string;
}

/** A record whose proof holds. */
export interface VerifiedProof {
  record: { id: string } & Record<string, unknown>;
  checkpoint: { origin: string; size: number };
  isInRootLog: boolean;
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

/** Canonical JSON (RFC 8785). */
export function canonical(value: unknown): string;
