import { describe, expect, it } from '@jest/globals';
import { parseExceptions } from '../../../platform/network/address-policy.js';
import {
  BEARER_TOKEN_CHARACTERS_MAX,
  BEARER_TOKEN_CHARACTERS_MIN,
  createBearerToken,
  judgeSettingsChange,
  onlyDisables,
  refusalOfBearerToken,
  type SettingsRequest,
  type StoredToken,
} from './settings-change.js';

const TOKEN = 't'.repeat(BEARER_TOKEN_CHARACTERS_MIN);
const ORIGIN = 'https://a.example.com';
const stored: StoredToken = { configured: true, origin: ORIGIN };
const nothing: StoredToken = { configured: false, origin: null };

const judge = (wanted: Partial<SettingsRequest>, token: StoredToken = stored) =>
  judgeSettingsChange(
    { enabled: true, endpointUrl: `${ORIGIN}/hook`, authMode: 'bearer', ...wanted },
    token,
    parseExceptions([]),
  );
const refusedFields = (...args: Parameters<typeof judge>) => {
  const change = judge(...args);
  return change.kind === 'refused' ? change.errors.map(({ field }) => field) : [];
};

describe('judgeSettingsChange (spec §2.2)', () => {
  it('keeps the stored token where none is given', () => {
    expect(judge({ endpointUrl: `${ORIGIN}:443/other` })).toMatchObject({ token: { kind: 'keep' } });
  });

  it('replaces the stored token where one is given', () => {
    const change = judge({ bearerToken: TOKEN, endpointUrl: 'https://b.example.com/' });
    expect(change).toMatchObject({
      token: { kind: 'replace', token: TOKEN },
      origin: 'https://b.example.com',
    });
  });

  it.each(['https://b.example.com/hook', 'https://a.example.com:8443/hook', 'https://x.a.example.com/hook'])(
    'asks for the token again where the endpoint moves to %s',
    (endpointUrl) => {
      expect(refusedFields({ endpointUrl })).toEqual(['bearerToken']);
      expect(refusedFields({ endpointUrl, enabled: false })).toEqual(['bearerToken']);
    },
  );

  it('asks again for a token that was given without an endpoint', () => {
    expect(refusedFields({}, { configured: true, origin: null })).toEqual(['bearerToken']);
  });

  it('drops the token where the endpoint moves without authentication', () => {
    const change = judge({ endpointUrl: 'https://b.example.com/', authMode: 'none' });
    expect(change).toMatchObject({ kind: 'accepted', token: { kind: 'drop' } });
  });

  it('keeps the token while there is no endpoint, and has none to drop where none is stored', () => {
    expect(judge({ enabled: false, endpointUrl: null })).toMatchObject({
      token: { kind: 'keep' },
      origin: null,
    });
    expect(judge({ authMode: 'none' }, nothing)).toMatchObject({ token: { kind: 'keep' }, origin: ORIGIN });
  });

  it('keeps the token where only the mode changes', () => {
    expect(judge({ authMode: 'none' })).toMatchObject({ token: { kind: 'keep' } });
  });

  it('asks for a token in bearer mode where none is stored', () => {
    expect(refusedFields({}, nothing)).toEqual(['bearerToken']);
    expect(refusedFields({ enabled: false }, nothing)).toEqual(['bearerToken']);
    expect(refusedFields({ authMode: 'none' }, nothing)).toEqual([]);
  });

  it('lets forwarding be off without endpoint and token, but not on', () => {
    expect(refusedFields({ enabled: false, endpointUrl: null }, nothing)).toEqual([]);
    expect(refusedFields({ enabled: true, endpointUrl: null }, nothing)).toEqual(['endpointUrl']);
  });

  it('may be on without an endpoint where the one of the request is allowed', () => {
    const legacy = { endpointUrl: null, allowCustomEndpoint: true };
    expect(refusedFields(legacy, nothing)).toEqual([]);
    expect(refusedFields({ ...legacy, allowCustomEndpoint: false }, nothing)).toEqual(['endpointUrl']);
  });

  it('removes the token where it is given as null, and asks for one where one is needed', () => {
    expect(judge({ bearerToken: null, authMode: 'none' })).toMatchObject({ token: { kind: 'drop' } });
    expect(judge({ bearerToken: null, enabled: false, endpointUrl: null })).toMatchObject({
      token: { kind: 'drop' },
    });
    expect(refusedFields({ bearerToken: null })).toEqual(['bearerToken']);
    expect(refusedFields({ bearerToken: null, enabled: false })).toEqual(['bearerToken']);
  });

  it('refuses a token without authentication', () => {
    expect(refusedFields({ authMode: 'none', bearerToken: TOKEN })).toEqual(['bearerToken']);
  });

  it('names every refused field', () => {
    expect(refusedFields({ endpointUrl: 'http://a.example.com', bearerToken: 'short' })).toEqual([
      'endpointUrl',
      'bearerToken',
    ]);
  });
});

describe('refusalOfBearerToken (spec §5.2)', () => {
  it.each([
    [BEARER_TOKEN_CHARACTERS_MIN - 1, false],
    [BEARER_TOKEN_CHARACTERS_MIN, true],
    [BEARER_TOKEN_CHARACTERS_MAX, true],
    [BEARER_TOKEN_CHARACTERS_MAX + 1, false],
  ])('%d characters: %s', (length, good) => {
    expect(refusalOfBearerToken('a'.repeat(length)) === null).toBe(good);
  });

  it.each([' ', '\r\n', '"', 'é', ',', '\u0000'])('refuses %j in it', (character) => {
    expect(refusalOfBearerToken(TOKEN + character)).not.toBeNull();
  });

  it('takes = at the end alone', () => {
    expect(refusalOfBearerToken(`${TOKEN}==`)).toBeNull();
    expect(refusalOfBearerToken(`=${TOKEN}`)).not.toBeNull();
  });

  it('takes the tokens that it makes: 32 random bytes, never the same', () => {
    const tokens = new Set(Array.from({ length: 100 }, createBearerToken));
    expect(tokens.size).toBe(100);
    for (const token of tokens) {
      expect(refusalOfBearerToken(token)).toBeNull();
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    }
  });
});

describe('onlyDisables (design §6.5)', () => {
  const now = { endpointUrl: `${ORIGIN}/hook`, allowCustomEndpoint: false };
  const off = { enabled: false, endpointUrl: now.endpointUrl, authMode: 'bearer' } as const;

  it('is switching off, and removing endpoint and token', () => {
    expect(onlyDisables(off, now)).toBe(true);
    expect(onlyDisables({ ...off, endpointUrl: null }, now)).toBe(true);
    expect(onlyDisables({ ...off, endpointUrl: null, authMode: 'none', bearerToken: null }, now)).toBe(true);
    expect(onlyDisables({ ...off, allowCustomEndpoint: true }, { ...now, allowCustomEndpoint: true })).toBe(
      true,
    );
  });

  it.each([
    ['switching on', { enabled: true }],
    ['another target', { endpointUrl: 'https://b.example.com/' }],
    ['another path', { endpointUrl: `${ORIGIN}/other` }],
    ['a token', { bearerToken: TOKEN }],
    ['allowing the endpoint of requests', { allowCustomEndpoint: true }],
  ])('is not %s', (_, wanted) => {
    expect(onlyDisables({ ...off, ...wanted }, now)).toBe(false);
  });
});

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
