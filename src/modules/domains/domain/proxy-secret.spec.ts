import { describe, expect, it } from '@jest/globals';
import {
  createProxySecret,
  formerValidUntil,
  hashProxySecret,
  isValidSecret,
  resolveProxyState,
  SIGHTING_EVERY_MS,
  SIGHTING_VALID_MS,
} from './proxy-secret.js';

const NOW = new Date('2026-12-01T12:00:00Z');
const hash = (secret: string): Buffer => hashProxySecret(secret) as Buffer;

describe('proxy secrets', () => {
  const [current, former, other] = [createProxySecret(), createProxySecret(), createProxySecret()];
  const stored = { hash: hash(current), formerHash: hash(former), formerValidUntil: NOW };

  it('are 32 random bytes with a prefix', () => {
    expect(current).toMatch(/^fps_[\w-]{43}$/);
    expect(current).not.toBe(former);
  });

  it.each([
    '',
    'fps_short',
    `fps_${'a'.repeat(42)}`,
    `fps_${'a'.repeat(44)}`,
    `x${'a'.repeat(46)}`,
    undefined,
    ['fps_'],
    [`fps_${'a'.repeat(43)}`],
  ])('%s is none', (text) => {
    expect(hashProxySecret(text)).toBeNull();
  });

  it('the current one is valid, another one is not', () => {
    expect(isValidSecret(stored, hash(current), NOW)).toBe(true);
    expect(isValidSecret(stored, hash(other), NOW)).toBe(false);
  });

  it('the former one is valid until its time, exclusively', () => {
    expect(isValidSecret(stored, hash(former), new Date(NOW.getTime() - 1))).toBe(true);
    expect(isValidSecret(stored, hash(former), NOW)).toBe(false);
    expect(isValidSecret({ ...stored, formerValidUntil: null }, hash(former), NOW)).toBe(false);
  });

  it('an overlap of 0 hours ends the former secret at once', () => {
    expect(formerValidUntil(0, NOW)).toBeNull();
    expect(formerValidUntil(1, NOW)).toEqual(new Date('2026-12-01T13:00:00Z'));
  });
});

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
