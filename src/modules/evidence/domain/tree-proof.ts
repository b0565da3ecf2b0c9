import { nodeHash } from './tree-hash.js';

/** Leaves from `start` (inclusive) to `end` (exclusive). */
export interface LeafRange {
  start: number;
  end: number;
}

/** The largest power of two that is smaller than `count`, which is at least 2. */
function splitPoint(count: number): number {
  let width = 1;
  while (width * 2 < count) width *= 2;
  return width;
}

/**
 * The ranges whose roots are the inclusion proof of a leaf, from the leaf up to the root (RFC 9162 §2.1.3.1).
 */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitPoint(end - start);
    if (index < middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  return ranges.reverse();
}

/** The ranges for the proof that the tree of `to` leaves starts with that of `from` leaves (RFC 9162 §2.1.4.1). */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  if (!(from > 0 && from <= to)) throw new RangeError(`no proof leads from ${from} to ${to}`);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, to];
  while (from < end) {
    const middle = start + splitPoint(end - start);
    if (from <= middle) {
      ranges.push({ start: middle, end });
      end = middle;
    } else {
      ranges.push({ start, end: middle });
      start = middle;
    }
  }
  // The caller knows a tree that starts at leaf 0.
  if (start > 0) ranges.push({ start, end });
  return ranges.reverse();
}

/** Whether the path leads from the leaf's hash to the root (RFC 9162 §2.1.3.2). */
export function includes(
  leaf: Buffer,
  { index, size, path, root }: { index: number; size: number; path: readonly Buffer[]; root: Buffer },
): boolean {
  if (!(index >= 0 && index < size)) return false;
  let [node, last] = [index, size - 1];
  let reached = leaf;
  for (const hash of path) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      reached = nodeHash(hash, reached);
      while (node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      reached = nodeHash(reached, hash);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && reached.equals(root);
}

/** Whether the larger tree starts with the smaller one (RFC 9162 §2.1.4.2). */
export function isConsistent(
  from: { size: number; root: Buffer },
  to: { size: number; root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (!(from.size > 0 && from.size <= to.size)) return false;
  if (from.size === to.size) return path.length === 0 && from.root.equals(to.root);
  let [node, last] = [from.size - 1, to.size - 1];
  while (node % 2 === 1) [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  const [first, ...rest] = node === 0 ? [from.root, ...path] : path;
  if (!first) return false;
  let [smaller, larger] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      smaller = nodeHash(hash, smaller);
      larger = nodeHash(hash, larger);
      while (node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else {
      larger = nodeHash(larger, hash);
    }
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && smaller.equals(from.root) && larger.equals(to.root);
}
