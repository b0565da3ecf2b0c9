import { describe, expect, it } from '@jest/globals';
import { requireUser } from './actor.js';
import { roleCovers, ROLES } from './role.js';

describe('roleCovers', () => {
  it('lets a role do what it and the weaker ones may', () => {
    const table = ROLES.map((held) => ROLES.map((needed) => roleCovers(held, needed)));
    expect(table).toEqual([
      [true, false, false],
      [true, true, false],
      [true, true, true],
    ]);
  });
});

describe('requireUser', () => {
  it('gives the user back, and refuses a key', () => {
    const user = { kind: 'user', userId: 'u', email: 'a@example.com' } as const;
    expect(requireUser(user)).toBe(user);
    const key = { kind: 'api_key', apiKeyId: 'k', projectId: 'p', role: 'owner', scopes: [] } as const;
    expect(() => requireUser({ ...key, scopes: [] })).toThrow(
      expect.objectContaining({ code: 'session_required' }),
    );
  });
});
