import { describe, expect, it } from '@jest/globals';
import { type Actor, toAuthor, requireUser } from './actor.js';
import { roleAfterAccepting, roleCovers, ROLES } from './role.js';

const USER: Actor & { kind: 'user' } = {
  kind: 'user',
  userId: 'u',
  sessionId: 's',
  name: 'A',
  email: 'a@example.com',
  emailConfirmed: true,
  secondFactor: false,
  signedInAt: new Date(0),
  network: '203.0.113.0/24',
};
const KEY: Actor = {
  kind: 'api_key',
  apiKeyId: 'k',
  keyHash: Buffer.alloc(32),
  projectId: 'p',
  role: 'owner',
  scopes: [],
  limitedTo: null,
  network: null,
};

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

describe('roleAfterAccepting', () => {
  it('gives the offered role, and takes none away', () => {
    const table = [null, ...ROLES].map((held) => ROLES.map((offered) => roleAfterAccepting(held, offered)));
    expect(table).toEqual([
      ['viewer', 'editor', 'owner'],
      ['viewer', 'editor', 'owner'],
      ['editor', 'editor', 'owner'],
      ['owner', 'owner', 'owner'],
    ]);
  });
});

describe('requireUser', () => {
  it('gives the user back, and refuses a key', () => {
    expect(requireUser(USER)).toBe(USER);
    expect(() => requireUser(KEY)).toThrow(expect.objectContaining({ code: 'session_required' }));
  });
});

describe('toAuthor', () => {
  it('keeps the id and the network, and neither e-mail nor rights', () => {
    expect(toAuthor(USER)).toEqual({ kind: 'user', id: 'u', network: '203.0.113.0/24' });
    expect(toAuthor(KEY)).toEqual({ kind: 'api_key', id: 'k', network: null });
  });
});
