import { nodeHash } from './tree-hash.js';

/** Leaves from `start` up to, but without, `end`. */
export interface LeafRange {
  start: number;
  end: number;
}

/** The largest power of two that is smaller than `count`, which is at least 2. */
function splitOf(count: number): number {
  let width = 1;
  while (width * 2 < count) width *= 2;
  return width;
}

/**
 * What the inclusion proof of a leaf hashes over, from the leaf up to the root (RFC 9162 §2.1.3.1): the roots of these
 * ranges are the proof.
 */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  if (!(index >= 0 && index < size)) throw new RangeError(`leaf ${index} is not in a tree of ${size}`);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, size];
  while (end - start > 1) {
    const middle = start + splitOf(end - start);
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

/** The same for the proof that the tree of `to` leaves begins with that of `from` (RFC 9162 §2.1.4.1). */
export function consistencyRanges(from: number, to: number): LeafRange[] {
  if (!(from > 0 && from <= to)) throw new RangeError(`no proof leads from ${from} to ${to}`);
  const ranges: LeafRange[] = [];
  let [start, end] = [0, to];
  while (from < end) {
    const middle = start + splitOf(end - start);
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
  let [place, last] = [index, size - 1];
  let reached = leaf;
  for (const hash of path) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      reached = nodeHash(hash, reached);
      while (place % 2 === 0 && place > 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      reached = nodeHash(reached, hash);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && reached.equals(root);
}

/** Whether the larger tree begins with the smaller one (RFC 9162 §2.1.4.2). */
export function isConsistent(
  from: { size: number; root: Buffer },
  to: { size: number; root: Buffer },
  path: readonly Buffer[],
): boolean {
  if (!(from.size > 0 && from.size <= to.size)) return false;
  if (from.size === to.size) return path.length === 0 && from.root.equals(to.root);
  let [place, last] = [from.size - 1, to.size - 1];
  while (place % 2 === 1) [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  const [first, ...rest] = place === 0 ? [from.root, ...path] : path;
  if (!first) return false;
  let [smaller, larger] = [first, first];
  for (const hash of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      smaller = nodeHash(hash, smaller);
      larger = nodeHash(hash, larger);
      while (place % 2 === 0 && place > 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else {
      larger = nodeHash(larger, hash);
    }
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && smaller.equals(from.root) && larger.equals(to.root);
}
