import { describe, expect, it } from '@jest/globals';
import { createProxySecret, formerValidUntil, hashProxySecret, isValidSecret } from './proxy-secret.js';

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
