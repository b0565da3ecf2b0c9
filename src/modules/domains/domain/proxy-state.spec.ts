import { describe, expect, it } from '@jest/globals';
import { resolveProxyState, SIGHTING_EVERY_MS, SIGHTING_VALID_MS } from './proxy-state.js';

const NOW = new Date('2026-12-01T12:00:00Z');
const ago = (ms: number): Date => new Date(NOW.getTime() - ms);
const state = (provenAt: Date | null, unprovenAt: Date | null): string =>
  resolveProxyState({ provenAt, unprovenAt, host: null, prefix: null }, NOW);

describe('resolveProxyState', () => {
  it('knows nothing without a sighting of the last 7 days', () => {
    expect(state(null, null)).toBe('not_seen');
    expect(state(ago(SIGHTING_VALID_MS), null)).toBe('proven');
    expect(state(ago(SIGHTING_VALID_MS + 1), null)).toBe('not_seen');
    expect(state(null, ago(SIGHTING_VALID_MS))).toBe('unproven');
    expect(state(null, ago(SIGHTING_VALID_MS + 1))).toBe('not_seen');
  });

  it('is unproven while requests without the secret arrive, and proven once they have ended', () => {
    expect(state(ago(0), ago(SIGHTING_EVERY_MS))).toBe('unproven');
    expect(state(ago(0), ago(SIGHTING_EVERY_MS + 1))).toBe('proven');
    expect(state(ago(SIGHTING_EVERY_MS), ago(0))).toBe('unproven');
  });
});
