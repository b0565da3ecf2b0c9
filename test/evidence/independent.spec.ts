import { describe, expect, it } from '@jest/globals';
import { RFC9162 } from '@transmute/rfc9162';
import { tilePath } from '../../src/evidence/domain/tile.js';
import { type ReadTile, rootOfRange } from '../../src/evidence/domain/tile-reader.js';
import { append, EMPTY_EDGE, rootOf } from '../../src/evidence/domain/tree-edge.js';
import { leafHash } from '../../src/evidence/domain/tree-hash.js';
import { consistencyRanges, inclusionRanges } from '../../src/evidence/domain/tree-proof.js';

/** Sizes around powers of two and around a tile, and a tree of two levels of tiles. */
const SIZES = [1, 2, 3, 5, 8, 13, 64, 255, 256, 257, 300];

const entriesOf = (size: number): Buffer[] =>
  Array.from({ length: size }, (_none, at) => Buffer.from(`entry ${at}`));
const hex = (hashes: readonly Uint8Array[]): string[] =>
  hashes.map((hash) => Buffer.from(hash).toString('hex'));

/** Our tree, as it lies in tiles. */
function treeOver(entries: readonly Buffer[]) {
  const { edge, tiles } = append(EMPTY_EDGE, entries.map(leafHash));
  const bytes = new Map(tiles.map((tile) => [tilePath(tile), tile.bytes]));
  const read: ReadTile = (tile) => Promise.resolve(bytes.get(tilePath(tile)) as Buffer);
  return {
    root: rootOf(edge),
    path: (ranges: readonly { start: number; end: number }[]) =>
      Promise.all(ranges.map((range) => rootOfRange(range, edge.size, read))),
  };
}

describe('another implementation of RFC 9162 (npm @transmute/rfc9162)', () => {
  it.each(SIZES)('finds the same root over %i entries, and accepts our proofs of places', async (size) => {
    const entries = entriesOf(size);
    const { root, path } = treeOver(entries);
    expect(hex([root])).toEqual(hex([await RFC9162.treeHead(entries)]));
    for (const index of new Set([0, Math.floor(size / 2), size - 1])) {
      const inclusion = await path(inclusionRanges(index, size));
      const proof = { log_id: '', tree_size: size, leaf_index: index, inclusion_path: inclusion };
      const leaf = await RFC9162.leaf(entries[index] as Buffer);
      expect(await RFC9162.verifyInclusionProof(root, leaf, proof)).toBe(true);
      // It does refuse: a proof of another place.
      if (size > 1)
        expect(
          await RFC9162.verifyInclusionProof(root, leaf, { ...proof, leaf_index: (index + 1) % size }),
        ).toBe(false);
    }
  });

  it.each(SIZES.slice(1))('accepts our proof that %i entries continue fewer', async (size) => {
    const entries = entriesOf(size);
    const later = treeOver(entries);
    for (const from of SIZES.filter((each) => each < size)) {
      const earlier = treeOver(entries.slice(0, from));
      const ours = await later.path(consistencyRanges(from, size));
      // It writes the root of a tree of 2^n entries into the proof, which RFC 9162 §2.1.4.1 leaves to the verifier.
      const consistency = Number.isInteger(Math.log2(from)) ? [earlier.root, ...ours] : ours;
      expect(hex(consistency)).toEqual(hex(await RFC9162.PROOF(from, entries)));
      const proof = { log_id: '', tree_size_1: from, tree_size_2: size, consistency_path: consistency };
      expect(await RFC9162.verifyConsistencyProof(earlier.root, later.root, proof)).toBe(true);
    }
  });
});
