import { checkpointText } from '../../src/evidence/domain/checkpoint.js';
import { type SignerKey, signNote } from '../../src/evidence/domain/signed-note.js';
import { tilePath } from '../../src/evidence/domain/tile.js';
import { TreeReader } from '../../src/evidence/domain/tile-reader.js';
import { writeTlogProof } from '../../src/evidence/domain/tlog-proof.js';
import { append, EMPTY_EDGE, rootOf } from '../../src/evidence/domain/tree-edge.js';
import { leafHash } from '../../src/evidence/domain/tree-hash.js';
import { consistencyRanges, inclusionRanges, type LeafRange } from '../../src/evidence/domain/tree-proof.js';

/** A log as the service would have it, in memory. */
export interface MemoryLog {
  /** The signed note. */
  checkpoint: string;
  root: Buffer;
  path(ranges: readonly LeafRange[]): Promise<Buffer[]>;
  proof(index: number, extra: Buffer | null): Promise<string>;
  /** The hashes that lead from a smaller size to this one, as the service answers them. */
  consistencyFrom(size: number): Promise<string>;
}

export function memoryLog(origin: string, entries: readonly Buffer[], key: SignerKey): MemoryLog {
  const { edge, tiles } = append(EMPTY_EDGE, entries.map(leafHash));
  const bytes = new Map(tiles.map((tile) => [tilePath(tile), tile.bytes]));
  const tree = new TreeReader(edge.size, (tile) => Promise.resolve(bytes.get(tilePath(tile)) as Buffer));
  const path = (ranges: readonly LeafRange[]): Promise<Buffer[]> => tree.rootsOf(ranges);
  const root = rootOf(edge);
  const checkpoint = signNote(checkpointText({ origin, size: edge.size, root }), [key]);
  return {
    checkpoint,
    root,
    path,
    proof: async (index, extra) =>
      writeTlogProof({ extra, index, path: await path(inclusionRanges(index, edge.size)), checkpoint }),
    consistencyFrom: async (size) =>
      (await path(consistencyRanges(size, edge.size))).map((hash) => `${hash.toString('base64')}\n`).join(''),
  };
}
