import { describe, expect, it } from '@jest/globals';
import { keyState } from './key-state.js';

const NOW = new Date('2026-11-21T12:00:00Z');

describe('keyState', () => {
  it('works until the instant at which it ends, and no longer', () => {
    const endsAt = (expiresAt: string | null) => keyState({ revokedAt: null, expiresAt }, NOW);
    expect(endsAt(null)).toBe('active');
    expect(endsAt('2026-11-21T12:00:00.001Z')).toBe('active');
    expect(endsAt('2026-11-21T12:00:00.000Z')).toBe('expired');
  });

  it('is revoked, whatever else it is', () => {
    const revokedAt = '2026-11-20T12:00:00Z';
    expect(keyState({ revokedAt, expiresAt: null }, NOW)).toBe('revoked');
    expect(keyState({ revokedAt, expiresAt: '2026-11-20T13:00:00Z' }, NOW)).toBe('revoked');
  });
});
