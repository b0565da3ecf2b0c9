import { checkpointText } from '../../../src/modules/evidence/domain/checkpoint.js';
import { type SignerKey, signNote } from '../../../src/modules/evidence/domain/signed-note.js';
import { tilePath } from '../../../src/modules/evidence/domain/tile.js';
import { ProofBuilder } from '../../../src/modules/evidence/domain/proof-builder.js';
import { writeTlogProof } from '../../../src/modules/evidence/domain/tlog-proof.js';
import { append, EMPTY_RANGE, computeRoot } from '../../../src/modules/evidence/domain/compact-range.js';
import { leafHash } from '../../../src/modules/evidence/domain/tree-hash.js';

/** A log in memory, as the service would build it. */
export interface MemoryLog {
  /** The signed note. */
  checkpoint: string;
  root: Buffer;
  proof(index: number, extra: Buffer | null): Promise<string>;
  /** The consistency proof from a smaller size, as the service returns it. */
  consistencyFrom(size: number): Promise<string>;
}

export function memoryLog(origin: string, entries: readonly Buffer[], key: SignerKey): MemoryLog {
  const { range, tiles } = append(EMPTY_RANGE, entries.map(leafHash));
  const bytes = new Map(tiles.map((tile) => [tilePath(tile), tile.bytes]));
  const builder = new ProofBuilder(range.size, (tile) =>
    Promise.resolve(bytes.get(tilePath(tile)) as Buffer),
  );
  const root = computeRoot(range);
  const checkpoint = signNote(checkpointText({ origin, size: range.size, root }), [key]);
  return {
    checkpoint,
    root,
    proof: async (index, extra) =>
      writeTlogProof({
        extra,
        index,
        checkpoint,
        path: await builder.inclusionProof(index, range.size),
      }),
    consistencyFrom: async (size) =>
      (await builder.consistencyProof(size, range.size))
        .map((hash) => `${hash.toString('base64')}\n`)
        .join(''),
  };
}
