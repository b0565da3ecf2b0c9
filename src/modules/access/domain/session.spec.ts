import { describe, expect, it } from '@jest/globals';
import { sessionEnd } from './session.js';

describe(sessionEnd.name, () => {
  const createdAt = new Date('2026-11-01T00:00:00Z');

  it.each([
    ['2026-11-08T00:00:00Z', '2026-11-08T00:00:00.000Z'],
    ['2026-12-01T00:00:00Z', '2026-12-01T00:00:00.000Z'],
    ['2026-12-01T00:00:01Z', '2026-12-01T00:00:00.000Z'],
  ])('an expiry at %s ends it at %s', (expiresAt, end) => {
    expect(sessionEnd({ createdAt, expiresAt: new Date(expiresAt) }).toISOString()).toBe(end);
  });
});
