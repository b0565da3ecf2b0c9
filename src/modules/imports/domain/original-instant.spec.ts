import { describe, expect, it } from '@jest/globals';
import { parseOriginalInstant } from './original-instant.js';

describe(parseOriginalInstant.name, () => {
  it.each([
    ['2026-05-01T10:00:00Z', '2026-05-01T10:00:00.000Z'],
    ['2026-05-01T10:00:00.123+02:00', '2026-05-01T08:00:00.123Z'],
    ['2026-05-01 10:00:00', '2026-05-01T10:00:00.000Z'],
    ['2026-05-01 10:00', '2026-05-01T10:00:00.000Z'],
    ['2026-05-01 10:00:00 UTC', '2026-05-01T10:00:00.000Z'],
    ['2026-05-01 10:00:00 +0200', '2026-05-01T08:00:00.000Z'],
    ['1777629600', '2026-05-01T10:00:00.000Z'],
    ['1777629600123', '2026-05-01T10:00:00.123Z'],
    ['1777629600.5', '2026-05-01T10:00:00.500Z'],
  ])('reads %s', (text, expected) => {
    expect(parseOriginalInstant(text)?.toISOString()).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '2026-05-01',
    '01.05.2026 10:00',
    '2026-02-30T10:00:00Z',
    '1999-12-31T23:59:59Z',
    '177762960',
  ])('refuses %s', (text) => {
    expect(parseOriginalInstant(text)).toBeNull();
  });
});
