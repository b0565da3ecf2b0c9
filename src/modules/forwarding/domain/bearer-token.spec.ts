import { describe, expect, it } from '@jest/globals';
import { createBearerToken, refusalOfBearerToken } from './bearer-token.js';

describe('refusalOfBearerToken (spec §5.2)', () => {
  it.each([43, 4_096])('takes %i characters', (length) => {
    expect(refusalOfBearerToken('a'.repeat(length))).toBeNull();
  });

  it.each([0, 42, 4_097])('refuses %i characters', (length) => {
    expect(refusalOfBearerToken('a'.repeat(length))?.message).toBe(
      'The bearer token must have 43 to 4096 characters.',
    );
  });

  it('takes the characters of RFC 6750, and = at the end alone', () => {
    const good = 'Az09-._~+/'.padEnd(43, 'x');
    expect(refusalOfBearerToken(good)).toBeNull();
    expect(refusalOfBearerToken(`${good}==`)).toBeNull();
    for (const bad of [`=${good}`, `${good}=x`, `${good} `, `${good}\n`, `${good}ü`, '='.repeat(43)])
      expect(refusalOfBearerToken(bad)?.message).toMatch(/^The bearer token can contain only letters/);
  });
});

describe('createBearerToken', () => {
  it('makes 32 random bytes that are a good token', () => {
    const token = createBearerToken();
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(refusalOfBearerToken(token)).toBeNull();
    expect(createBearerToken()).not.toBe(token);
  });
});
