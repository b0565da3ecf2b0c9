import { hash } from 'node:crypto';

/** Bytes of a hash, which is always SHA-256. */
export const HASH_BYTES = 32;

const LEAF_PREFIX = Buffer.of(0x00);
const NODE_PREFIX = Buffer.of(0x01);

/** SHA-256. Node allocates memory for each hash that it returns as a buffer; a string is copied into one of Buffer's pools. */
export function sha256(bytes: Uint8Array): Buffer {
  return Buffer.from(hash('sha256', bytes, 'binary'), 'binary');
}

/** The root of a tree without leaves (RFC 6962 §2.1). */
export const EMPTY_ROOT = sha256(Buffer.of());

/** The hash of a leaf with `entry` (RFC 6962 §2.1). */
export function leafHash(entry: Uint8Array): Buffer {
  return sha256(Buffer.concat([LEAF_PREFIX, entry]));
}

/** The hash of a node over its two children. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return sha256(Buffer.concat([NODE_PREFIX, left, right]));
}

/** The root over hashes of equal height whose number is a power of two. */
export function perfectRoot(hashes: readonly Buffer[]): Buffer {
  let level = hashes;
  while (level.length > 1) {
    const above: Buffer[] = [];
    for (let at = 0; at < level.length; at += 2)
      above.push(nodeHash(level[at] as Buffer, level[at + 1] as Buffer));
    level = above;
  }
  const root = level[0];
  if (!root) throw new RangeError('there is no root over no hashes');
  return root;
}

/**
 * Combines `hashes` with the root to their right: `hashes` are of one height, oldest first, and `right` is the root over all
 * later leaves, which are fewer than one of the hashes covers. Their number need not be a power of two.
 */
export function foldOnto(right: Buffer | null, hashes: readonly Buffer[]): Buffer | null {
  let root = right;
  let end = hashes.length;
  for (let width = 1; end > 0; width *= 2) {
    if (end % (width * 2) === 0) continue;
    const left = perfectRoot(hashes.slice(end - width, end));
    root = root ? nodeHash(left, root) : left;
    end -= width;
  }
  return root;
}
