import { describe, expect, it } from '@jest/globals';
import { idAt, isUuidV7, newId, uuidLowerBound, uuidTimeMs } from './ids.js';

describe(newId.name, () => {
  it('makes UUIDv7s of the present time that sort in the order in which they were made', () => {
    const before = Date.now();
    // More than the counter of one millisecond can distinguish.
    const ids = Array.from({ length: 50_000 }, () => newId());
    expect(ids.every((id) => isUuidV7(id))).toBe(true);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
    expect(uuidTimeMs(ids[0] ?? '')).toBeGreaterThanOrEqual(before);
    expect(uuidTimeMs(ids.at(-1) ?? '')).toBeLessThan(Date.now() + 1000);
  });

  it('shares no random part between two ids', () => {
    const ids = Array.from({ length: 1_000 }, () => newId());
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length);
  });
});

describe(idAt.name, () => {
  it('makes UUIDv7s of the instant, each another one', () => {
    const at = new Date('2026-03-01T12:00:00.123Z');
    const ids = Array.from({ length: 1_000 }, () => idAt(at));
    expect(ids.every((id) => isUuidV7(id) && uuidTimeMs(id) === at.getTime())).toBe(true);
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length);
  });

  it.each([0, 1, 0xffff, 0x10000, 0x7fff_ffff_ffff, 0xffff_ffff_ffff])('holds an instant of %i ms', (ms) => {
    expect(isUuidV7(idAt(new Date(ms)))).toBe(true);
    expect(uuidTimeMs(idAt(new Date(ms)))).toBe(ms);
    expect(uuidTimeMs(uuidLowerBound(new Date(ms)))).toBe(ms);
  });
});
