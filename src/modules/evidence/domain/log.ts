import { append, EMPTY_RANGE, partialTileAddresses, type CompactRange } from './compact-range.js';
import { hashesAt, splitHashes, TILE_WIDTH, tilePath, type Tile, type TileAddress } from './tile.js';
import { HASH_BYTES, leafHash } from './tree-hash.js';

/** Id of the root log, which contains the checkpoints of all projects. Other logs have their project's id. */
export const ROOT_LOG = '00000000-0000-0000-0000-000000000000';

/** Level of the tiles that contain entries instead of hashes. */
export const ENTRIES = -1;

/** Bytes before each entry: its length, big-endian (C2SP tlog-tiles). */
const LENGTH_BYTES = 2;
const LENGTH = Buffer.of(0, HASH_BYTES);

/** The state needed to append to a log: the right edge of its tree, and the entries of the last bundle. */
export interface LogEdge {
  tree: CompactRange;
  /** Entries of the last bundle unless it is full; each is a hash. */
  entries: readonly Buffer[];
}

export const EMPTY_LOG_EDGE: LogEdge = { tree: EMPTY_RANGE, entries: [] };

/** Encodes an edge for storage: entries, then the hashes of each level. Their counts follow from the size. */
export function encodeEdge({ tree, entries }: LogEdge): Buffer {
  return Buffer.concat([...entries, ...tree.levels.flat()]);
}

/** @throws RangeError if the bytes are not an edge of this size. */
export function decodeEdge(size: number, bytes: Buffer): LogEdge {
  if (size === 0 && bytes.length === 0) return { tree: EMPTY_RANGE, entries: [] };
  const hashes = splitHashes(bytes);
  const entries = hashes.splice(0, size % TILE_WIDTH);
  const levels: Buffer[][] = [];
  for (let level = 0; hashesAt(level, size) > 0; level++)
    levels.push(hashes.splice(0, hashesAt(level, size) % TILE_WIDTH));
  if (hashes.length > 0 || entries.length !== size % TILE_WIDTH)
    throw new RangeError(`${bytes.length} bytes are not the edge of ${size} leaves`);
  return { tree: { size, levels }, entries };
}

/** The partial tiles and the partial bundle at the edge. */
export function partialTiles({ tree, entries }: LogEdge): Tile[] {
  const tiles = partialTileAddresses(tree.size).map((address) => ({
    ...address,
    bytes: Buffer.concat(tree.levels[address.level] ?? []),
  }));
  if (entries.length === 0) return tiles;
  const index = Math.floor(tree.size / TILE_WIDTH);
  return [...tiles, { level: ENTRIES, index, width: entries.length, bytes: encodeBundle(entries) }];
}

/** Encodes entries as a bundle for storage. */
function encodeBundle(entries: readonly Buffer[]): Buffer {
  return Buffer.concat(entries.flatMap((entry) => [LENGTH, entry]));
}

export function decodeBundle(bundle: Buffer): Buffer[] {
  const bytesEach = LENGTH_BYTES + HASH_BYTES;
  return Array.from({ length: bundle.length / bytesEach }, (_none, at) =>
    bundle.subarray(at * bytesEach + LENGTH_BYTES, (at + 1) * bytesEach),
  );
}

/** Length in bytes of a tile or bundle of a width. */
export function tileLength({ level, width }: TileAddress): number {
  return width * (level === ENTRIES ? LENGTH_BYTES + HASH_BYTES : HASH_BYTES);
}

/** The path of a tile or bundle below its log. */
export function objectPath(address: TileAddress): string {
  return tilePath(address).replace(`tile/${ENTRIES}/`, 'tile/entries/');
}

/** Name of a log: its id; for a log that continues another one, followed by its epoch. */
export function logName(log: string, epoch: number): string {
  return epoch === 1 ? log : `${log}/${epoch}`;
}

/** Folder of a log in the storage, by its name. The same path follows the host in its origin. */
export function logFolder(name: string): string {
  return name.startsWith(ROOT_LOG) ? `log${name.slice(ROOT_LOG.length)}` : name;
}

/** Appends entries: the log's new edge, and the tiles and bundles that have become full. */
export function appendEntries(edge: LogEdge, added: readonly Buffer[]): { edge: LogEdge; full: Tile[] } {
  const { range: tree, tiles } = append(edge.tree, added.map(leafHash));
  const entries = [...edge.entries, ...added];
  const first = Math.floor(edge.tree.size / TILE_WIDTH);
  const rest = tree.size % TILE_WIDTH;
  const full = tiles.filter(({ width }) => width === TILE_WIDTH);
  for (let at = 0; at + TILE_WIDTH <= entries.length; at += TILE_WIDTH) {
    const bytes = encodeBundle(entries.slice(at, at + TILE_WIDTH));
    full.push({ level: ENTRIES, index: first + at / TILE_WIDTH, width: TILE_WIDTH, bytes });
  }
  return { edge: { tree, entries: entries.slice(entries.length - rest) }, full };
}
