import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ProofBuilder, type ReadTile } from './proof-builder.js';
import { tilePath, TILE_WIDTH } from './tile.js';
import { append, EMPTY_RANGE, computeRoot, type CompactRange } from './compact-range.js';
import { EMPTY_ROOT, leafHash, nodeHash } from './tree-hash.js';
import { consistencyRanges, inclusionRanges, includes, isConsistent } from './tree-proof.js';

/** The root by the recursive definition in RFC 6962 §2.1. */
function definedRoot(leaves: readonly Buffer[]): Buffer {
  if (leaves.length === 0) return EMPTY_ROOT;
  if (leaves.length === 1) return leaves[0] as Buffer;
  let width = 1;
  while (width * 2 < leaves.length) width *= 2;
  return nodeHash(definedRoot(leaves.slice(0, width)), definedRoot(leaves.slice(width)));
}

const makeLeaves = (count: number): Buffer[] =>
  Array.from({ length: count }, (_none, at) => leafHash(Buffer.from(`entry ${at}`)));

/** Appends in steps of the given sizes, and stores each tile under its path. */
function grow(steps: readonly number[]): { range: CompactRange; read: ReadTile; leaves: Buffer[] } {
  const leaves = makeLeaves(steps.reduce((sum, step) => sum + step, 0));
  const tiles = new Map<string, Buffer>();
  let range = EMPTY_RANGE;
  for (const step of steps) {
    const appended = append(range, leaves.slice(range.size, range.size + step));
    for (const tile of appended.tiles) tiles.set(tilePath(tile), tile.bytes);
    range = appended.range;
  }
  const read: ReadTile = (tile) => {
    const bytes = tiles.get(tilePath(tile));
    return bytes ? Promise.resolve(bytes) : Promise.reject(new Error(`no tile ${tilePath(tile)}`));
  };
  return { range, read, leaves };
}

describe('tree hashes', () => {
  // Test vectors of RFC 6962's reference implementation.
  const ENTRIES = [
    '',
    '00',
    '10',
    '2021',
    '3031',
    '40414243',
    '5051525354555657',
    '606162636465666768696a6b6c6d6e6f',
  ];
  const ROOTS = [
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];

  it.each(ROOTS.map((root, at) => [at + 1, root] as const))('of %d leaves are known', (size, root) => {
    const leaves = ENTRIES.slice(0, size).map((entry) => leafHash(Buffer.from(entry, 'hex')));
    expect(computeRoot(append(EMPTY_RANGE, leaves).range).toString('hex')).toBe(root);
  });

  it('of no leaf is the hash of nothing', () => {
    expect(computeRoot(EMPTY_RANGE).toString('hex')).toBe(
      'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    );
  });
});

describe('a tree in tiles', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 4 });

  it('has the defined root, regardless of how it grew', () => {
    fc.assert(
      fc.property(steps, (sizes) => {
        const { range, leaves } = grow(sizes);
        expect(computeRoot(range)).toEqual(definedRoot(leaves));
      }),
      { numRuns: 40 },
    );
  });

  it('computes the root of each range that a proof hashes over', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (sizes, chosen) => {
        const { range, read, leaves } = grow(sizes);
        if (range.size === 0) return;
        const builder = new ProofBuilder(range.size, read);
        const index = chosen % range.size;
        for (const part of inclusionRanges(index, range.size))
          expect(await builder.computeRoot(part)).toEqual(definedRoot(leaves.slice(part.start, part.end)));
      }),
      { numRuns: 30 },
    );
  });

  it('reaches the third level at 65,536 leaves', () => {
    const { range, leaves } = grow([TILE_WIDTH ** 2 + 1]);
    expect(range.levels.map(({ length }) => length)).toEqual([1, 0, 1]);
    expect(computeRoot(range)).toEqual(definedRoot(leaves));
  });
});

describe('the tiles of 70,000 leaves', () => {
  it('are those of the example in tlog-tiles', () => {
    const { tiles } = append(EMPTY_RANGE, makeLeaves(70_000));
    const count = (level: number, width: number): number =>
      tiles.filter((tile) => tile.level === level && tile.width === width).length;
    expect(tiles).toHaveLength(273 + 1 + 1 + 1 + 1);
    expect([count(0, 256), count(0, 112), count(1, 256), count(1, 17), count(2, 1)]).toEqual([
      273, 1, 1, 1, 1,
    ]);
  });
});

describe('paths of tiles', () => {
  it.each([
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 0, index: 1_234_067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 2, index: 273, width: 6 }, 'tile/2/273.p/6'],
  ])('%j is %s', (tile, path) => {
    expect(tilePath(tile)).toBe(path);
  });
});

describe('proofs', () => {
  it('show each leaf in its tree, and at no other index, with no other hash', async () => {
    for (const size of [1, 2, 3, 7, 8, 13, 255, 256, 257]) {
      const { range, read, leaves } = grow([size]);
      const root = computeRoot(range);
      const builder = new ProofBuilder(size, read);
      for (let index = 0; index < size; index++) {
        const path = await builder.inclusionProof(index, size);
        const leaf = leaves[index] as Buffer;
        expect([size, index, includes(leaf, { index, size, path, root })]).toEqual([size, index, true]);
        if (size === 1) continue;
        const elsewhere = (index + 1) % size;
        expect(includes(leaf, { index: elsewhere, size, path, root })).toBe(false);
        expect(includes(leaves[elsewhere] as Buffer, { index, size, path, root })).toBe(false);
        expect(includes(leaf, { index, size, path: path.slice(1), root })).toBe(false);
        expect(includes(leaf, { index, size, path: [...path, root], root })).toBe(false);
      }
    }
  });

  it('lead from each tree to every tree that continues it, and to no other', async () => {
    const size = 40;
    const { read, leaves } = grow(Array.from({ length: size }, () => 1));
    const roots = Array.from({ length: size + 1 }, (_none, at) => definedRoot(leaves.slice(0, at)));
    const forged = definedRoot([leafHash(Buffer.from('another')), ...leaves.slice(1)]);
    for (let to = 1; to <= size; to++)
      for (let from = 1; from <= to; from++) {
        const path = await new ProofBuilder(to, read).consistencyProof(from, to);
        const earlier = { size: from, root: roots[from] as Buffer };
        const later = { size: to, root: roots[to] as Buffer };
        expect([from, to, isConsistent(earlier, later, path)]).toEqual([from, to, true]);
        expect(isConsistent({ ...earlier, root: forged }, later, path)).toBe(false);
        expect(isConsistent(earlier, { ...later, root: forged }, path)).toBe(false);
        if (from < to) expect(isConsistent({ ...earlier, size: from + 1 }, later, path)).toBe(false);
      }
  });

  it('are as long as the tree is high, also beyond 2^32 leaves', () => {
    expect(inclusionRanges(2 ** 33 + 5, 2 ** 34)).toHaveLength(34);
    expect(() => inclusionRanges(5, 5)).toThrow(RangeError);
    expect(() => consistencyRanges(0, 5)).toThrow(RangeError);
  });
});
