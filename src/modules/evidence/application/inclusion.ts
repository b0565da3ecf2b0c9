import { readCheckpoint } from '../domain/checkpoint.js';
import type { ProofBuilder } from '../domain/proof-builder.js';
import { includes } from '../domain/tree-proof.js';
import { DamagedLog } from '../infrastructure/log-storage.js';

/** A leaf index in the tree of a signed checkpoint. */
export interface LeafPosition {
  index: number;
  /** The signed note. */
  checkpoint: string;
}

/** Whether a tree contains a leaf at an index. */
export type Inclusion =
  | { kind: 'included'; path: Buffer[] }
  /** The tree contains another leaf there. */
  | { kind: 'other_leaf' };

/**
 * Finds the path from a leaf to the root of a checkpoint.
 * @throws DamagedLog if the tiles do not hash to the signed root
 */
export async function findInclusion(
  leaf: Buffer,
  builder: ProofBuilder,
  { index, checkpoint: note }: LeafPosition,
): Promise<Inclusion> {
  const signed = readCheckpoint(note.slice(0, note.lastIndexOf('\n\n') + 1));
  if (!signed) throw new DamagedLog('The signed note is not a checkpoint.');
  const { size, root } = signed;
  const path = await builder.inclusionProof(index, size);
  if (includes(leaf, { index, size, path, root })) return { kind: 'included', path };
  const stored = await builder.computeRoot({ start: index, end: index + 1 });
  if (includes(stored, { index, size, path, root })) return { kind: 'other_leaf' };
  throw new DamagedLog('The tiles in storage do not hash to the signed root.');
}
