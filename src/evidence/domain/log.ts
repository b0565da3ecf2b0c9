import { EMPTY_EDGE, edgeTiles, type TreeEdge } from './tree-edge.js';
import { type Tile, type TileAddress, TILE_WIDTH, hashesAt, hashesOf, tilePath } from './tile.js';
import { HASH_BYTES } from './tree-hash.js';

/** The log of all projects' checkpoints, where the others go by their project's id. */
export const ROOT_LOG = '00000000-0000-0000-0000-000000000000';

/** Level under which the entries themselves are kept, beside the hashes of a tree. */
export const ENTRIES = -1;

/** Bytes that stand ahead of an entry: its length, the highest first (C2SP tlog-tiles). */
const LENGTH_BYTES = 2;
const LENGTH = Buffer.of(0, HASH_BYTES);

/** What is needed to append to a log: the right edge of its tree, and the entries of the last bundle. */
export interface LogEdge {
  tree: TreeEdge;
  /** Those of the last bundle, where that is not full; each is a hash. */
  entries: readonly Buffer[];
}

/** Of a log without entries. */
export const EMPTY_LOG_EDGE: LogEdge = { tree: EMPTY_EDGE, entries: [] };

/** An edge as it is stored: entries, then the hashes of each level. Their numbers follow from the size. */
export function edgeBytes({ tree, entries }: LogEdge): Buffer {
  return Buffer.concat([...entries, ...tree.levels.flat()]);
}

/** @throws RangeError where the bytes are not those of an edge of this size. */
export function readEdge(size: number, bytes: Buffer): LogEdge {
  if (size === 0 && bytes.length === 0) return { tree: EMPTY_EDGE, entries: [] };
  const hashes = hashesOf(bytes);
  const entries = hashes.splice(0, size % TILE_WIDTH);
  const levels: Buffer[][] = [];
  for (let level = 0; hashesAt(level, size) > 0; level++)
    levels.push(hashes.splice(0, hashesAt(level, size) % TILE_WIDTH));
  if (hashes.length > 0 || entries.length !== size % TILE_WIDTH)
    throw new RangeError(`these are not the ${bytes.length} bytes of the edge of ${size} leaves`);
  return { tree: { size, levels }, entries };
}

/** The tiles and the bundle at the edge, none of which is full. */
export function tilesAtEdge({ tree, entries }: LogEdge): Tile[] {
  const tiles = edgeTiles(tree.size).map((address) => ({
    ...address,
    bytes: Buffer.concat(tree.levels[address.level] ?? []),
  }));
  if (entries.length === 0) return tiles;
  const index = Math.floor(tree.size / TILE_WIDTH);
  return [...tiles, { level: ENTRIES, index, width: entries.length, bytes: bundleOf(entries) }];
}

/** A bundle of entries as it is stored. */
export function bundleOf(entries: readonly Buffer[]): Buffer {
  return Buffer.concat(entries.flatMap((entry) => [LENGTH, entry]));
}

/** The entries of a bundle. */
export function entriesOf(bundle: Buffer): Buffer[] {
  const bytesEach = LENGTH_BYTES + HASH_BYTES;
  return Array.from({ length: bundle.length / bytesEach }, (_none, at) =>
    bundle.subarray(at * bytesEach + LENGTH_BYTES, (at + 1) * bytesEach),
  );
}

/** Bytes of a tile, or of a bundle, of a width. */
export function tileBytes({ level, width }: TileAddress): number {
  return width * (level === ENTRIES ? LENGTH_BYTES + HASH_BYTES : HASH_BYTES);
}

/** The path of a tile or bundle below its log. */
export function objectPath(address: TileAddress): string {
  return tilePath(address).replace(`tile/${ENTRIES}/`, 'tile/entries/');
}

/** A log by its id and its number: the first is named by its id alone, each that continues it has its number behind. */
export function logName(log: string, epoch: number): string {
  return epoch === 1 ? log : `${log}/${epoch}`;
}

/** The folder of a log in the storage, by its name; the same follows the host in its origin. */
export function logFolder(name: string): string {
  return name.startsWith(ROOT_LOG) ? `log${name.slice(ROOT_LOG.length)}` : name;
}
