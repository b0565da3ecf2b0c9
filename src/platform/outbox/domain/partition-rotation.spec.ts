import { describe, expect, it } from '@jest/globals';
import { ClaimedParts, nextPart, type PartitionState, ROTATE_BYTES } from './partition-rotation.js';

const OPEN_FULL = { bytes: ROTATE_BYTES, isOpen: true };
const partitions = (...states: Partial<PartitionState>[]): PartitionState[] =>
  states.map((state, part) => ({ part, bytes: 0, liveRows: 0, isOpen: false, ...state }));

describe(nextPart.name, () => {
  it('is the empty partition after a full one', () => {
    expect(nextPart(partitions(OPEN_FULL, {}, {}))).toBe(1);
    expect(nextPart(partitions({}, OPEN_FULL, {}))).toBe(2);
    expect(nextPart(partitions({}, {}, OPEN_FULL))).toBe(0);
    expect(nextPart(partitions({}, OPEN_FULL, { bytes: 8192 }))).toBe(0);
  });

  it('is none while the open partition is small, or messages take half of it', () => {
    expect(nextPart(partitions({ bytes: ROTATE_BYTES - 8192, isOpen: true }, {}))).toBeNull();
    const half = ROTATE_BYTES / 2 / 256;
    expect(nextPart(partitions({ ...OPEN_FULL, liveRows: half }, {}))).toBe(1);
    expect(nextPart(partitions({ ...OPEN_FULL, liveRows: half + 1 }, {}))).toBeNull();
  });

  it('is a new one where none is empty, up to 32', () => {
    const full = (count: number): PartitionState[] =>
      partitions(OPEN_FULL, ...Array.from({ length: count - 1 }, () => ({ bytes: ROTATE_BYTES })));
    expect(nextPart(full(4))).toBe(4);
    expect(nextPart(full(31))).toBe(31);
    expect(nextPart(full(32))).toBeNull();
  });
});

describe(ClaimedParts.name, () => {
  it('is the first partition until another one is observed', () => {
    const parts = new ClaimedParts();
    expect(parts.due(0)).toEqual([0]);
    parts.observe(partitions({}, {}, { isOpen: true }));
    expect(parts.due(0)).toEqual([2]);
  });

  it('has closed partitions that are not empty first, in the order of their use', () => {
    const parts = new ClaimedParts();
    parts.observe(partitions({ bytes: 8192 }, { bytes: 8192, isOpen: true }, {}, { bytes: 8192 }));
    expect(parts.due(0)).toEqual([3, 0, 1]);
    expect(parts.hasClosed).toBe(true);
  });

  it('follows the open partition that a claim reports', () => {
    const parts = new ClaimedParts();
    expect(parts.opened(0)).toBe(false);
    expect(parts.opened(1)).toBe(true);
    expect(parts.due(0)).toEqual([0, 1]);
    expect(parts.opened(0)).toBe(true);
    expect(parts.due(0)).toEqual([1, 0]);
  });

  it('skips a closed partition for half a second after nothing was found, and never the open one', () => {
    const parts = new ClaimedParts();
    parts.opened(1);
    parts.foundNothing(0, 1_000);
    parts.foundNothing(1, 1_000);
    expect(parts.due(1_499)).toEqual([1]);
    expect(parts.due(1_500)).toEqual([0, 1]);
  });
});
