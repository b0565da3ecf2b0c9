import { describe, expect, it } from '@jest/globals';
import { RFC9162 } from '@transmute/rfc9162';
import { tilePath } from '../../src/modules/evidence/domain/tile.js';
import { ProofBuilder } from '../../src/modules/evidence/domain/proof-builder.js';
import { append, EMPTY_RANGE, computeRoot } from '../../src/modules/evidence/domain/compact-range.js';
import { leafHash } from '../../src/modules/evidence/domain/tree-hash.js';

/** Sizes around powers of two and around a tile, and a tree of two levels of tiles. */
const SIZES = [1, 2, 3, 5, 8, 13, 64, 255, 256, 257, 300];

const makeEntries = (size: number): Buffer[] =>
  Array.from({ length: size }, (_none, at) => Buffer.from(`entry ${at}`));
const hex = (hashes: readonly Uint8Array[]): string[] =>
  hashes.map((hash) => Buffer.from(hash).toString('hex'));

/** Our tree over the entries, from its tiles. */
function buildTree(entries: readonly Buffer[]) {
  const { range, tiles } = append(EMPTY_RANGE, entries.map(leafHash));
  const bytes = new Map(tiles.map((tile) => [tilePath(tile), tile.bytes]));
  const builder = new ProofBuilder(range.size, (tile) =>
    Promise.resolve(bytes.get(tilePath(tile)) as Buffer),
  );
  return { root: computeRoot(range), builder };
}

describe('another implementation of RFC 9162 (npm @transmute/rfc9162)', () => {
  it.each(SIZES)('finds the same root over %i entries, and accepts our inclusion proofs', async (size) => {
    const entries = makeEntries(size);
    const { root, builder } = buildTree(entries);
    expect(hex([root])).toEqual(hex([await RFC9162.treeHead(entries)]));
    for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
      const inclusion = await builder.inclusionProof(index, size);
      const proof = { log_id: '', tree_size: size, leaf_index: index, inclusion_path: inclusion };
      const leaf = await RFC9162.leaf(entries[index] as Buffer);
      expect(await RFC9162.verifyInclusionProof(root, leaf, proof)).toBe(true);
      // It rejects a proof for another index.
      if (size > 1)
        expect(
          await RFC9162.verifyInclusionProof(root, leaf, { ...proof, leaf_index: (index + 1) % size }),
        ).toBe(false);
    }
  });

  it.each(SIZES.slice(1))('accepts our consistency proofs to %i entries', async (size) => {
    const entries = makeEntries(size);
    const later = buildTree(entries);
    for (const from of SIZES.filter((each) => each < size)) {
      const earlier = buildTree(entries.slice(0, from));
      const ours = await later.builder.consistencyProof(from, size);
      // It includes the root of a tree of 2^n entries in the proof, which RFC 9162 §2.1.4.1 leaves to the verifier.
      const consistency = Number.isInteger(Math.log2(from)) ? [earlier.root, ...ours] : ours;
      expect(hex(consistency)).toEqual(hex(await RFC9162.PROOF(from, entries)));
      const proof = { log_id: '', tree_size_1: from, tree_size_2: size, consistency_path: consistency };
      expect(await RFC9162.verifyConsistencyProof(earlier.root, later.root, proof)).toBe(true);
    }
  });
});
