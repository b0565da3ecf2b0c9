import { canonicalJson, computeCommitment } from '../domain/commitment.js';
import { writeTlogProof } from '../domain/tlog-proof.js';
import { leafHash } from '../domain/tree-hash.js';
import { findInclusion } from './inclusion.js';
import type { SignedLogView } from './signed-view.js';

/** A proof of a log entry. */
export interface Proof {
  /** A `.tlog-proof`. */
  text: string;
  index: number;
  /** Whether the proof includes that of its checkpoint in the root log. */
  isAnchored: boolean;
}

/** The committed content of a log entry. */
export interface Committed {
  /** Its member in the proof's extra data. */
  member: 'record' | 'scan';
  body: object;
  salt: Buffer;
}

/** A view of a log with a checkpoint. */
type SignedState = SignedLogView & { signed: NonNullable<SignedLogView['signed']> };

/**
 * Writes a proof with the anchored checkpoint if that covers the entry, otherwise with the newest one. A proof that does
 * not verify is never returned: null if the tiles match the signed root, and the entry commits to something else.
 * @throws DamagedLog if the tiles do not hash to the signed root
 */
export async function writeProof(
  { anchored, anchorProof, signed }: SignedState,
  index: number,
  { member, body, salt }: Committed,
): Promise<Proof | null> {
  const isCovered = anchored !== null && index < anchored.size;
  const rootProof = isCovered ? await anchorProof() : null;
  const checkpoint = isCovered && rootProof !== null ? anchored.checkpoint : signed.checkpoint;
  const leaf = leafHash(computeCommitment(salt, body));
  const inclusion = await findInclusion(leaf, signed.builder, { index, checkpoint });
  if (inclusion.kind === 'other_leaf') return null;
  const extra = { [member]: body, salt: salt.toString('base64'), rootProof };
  // Canonical: the verifier rejects any other encoding.
  const text = writeTlogProof({
    extra: Buffer.from(canonicalJson(extra)),
    index,
    path: inclusion.path,
    checkpoint,
  });
  return { text, index, isAnchored: rootProof !== null };
}
