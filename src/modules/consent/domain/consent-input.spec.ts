import { describe, expect, it } from '@jest/globals';
import { uuidLowerBound } from '../../../platform/identity/ids.js';
import { parseConsent, originHost } from './consent-input.js';
import { consentKey } from './consent-recorded.js';

const NOW = new Date('2026-11-21T12:00:00.000Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;
const CHOICE = { analytics: true, marketing: false, preferences: true, action: 'custom' };

const parse = (fields: object) => parseConsent({ ...CHOICE, ...fields }, NOW);
const fieldsOf = (fields: object): string[] => {
  const parsed = parse(fields);
  return parsed.kind === 'invalid' ? parsed.errors.map(({ field }) => field) : [];
};
const consentOf = (fields: object) => {
  const parsed = parse(fields);
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.errors));
  return parsed.consent;
};
/** The lowest UUIDv7 of an instant. */
const idAt = (ms: number): string =>
  `${uuidLowerBound(new Date(ms)).slice(0, 14)}7000-8000-000000000000`.slice(0, 36);

describe('parseConsent (design §6.1)', () => {
  it.each([
    [-7 * DAY_MS, []],
    [-7 * DAY_MS - 1, ['id']],
    [5 * MINUTE_MS, []],
    [5 * MINUTE_MS + 1, ['id']],
  ])('judges an id made %d ms from now', (ms, refused) => {
    expect(fieldsOf({ id: idAt(NOW.getTime() + ms) })).toEqual(refused);
  });

  it.each([
    ['64 characters of action', { action: 'a'.repeat(64) }, []],
    ['65', { action: 'a'.repeat(65) }, ['action']],
    ['a hostname of 253', { hostname: `${`${'a'.repeat(62)}.`.repeat(4)}b` }, []],
    ['of 254', { hostname: `${`${'a'.repeat(62)}.`.repeat(4)}bc` }, ['hostname']],
    ['a label of 63', { hostname: `${'a'.repeat(63)}.example` }, []],
    ['of 64', { hostname: `${'a'.repeat(64)}.example` }, ['hostname']],
  ])('takes and refuses by length: %s', (_, fields, refused) => {
    expect(fieldsOf(fields)).toEqual(refused);
  });

  it('counts additional fields in bytes of UTF-8, not in characters', () => {
    const around = '{"note":""}'.length;
    expect(fieldsOf({ note: 'é'.repeat((4096 - around - 1) / 2) })).toEqual([]);
    // 2,043 characters, but 4,097 bytes.
    expect(fieldsOf({ note: 'é'.repeat((4096 - around + 1) / 2) })).toEqual(['']);
  });

  it.each(['schemaVersion', 'projectId', 'receivedAt'])(
    'refuses %s, which the record fills in itself',
    (name) => {
      expect(fieldsOf({ [name]: 'x' })).toEqual([name]);
    },
  );

  it('writes hostnames in one way: small letters, without a last dot', () => {
    expect(consentOf({ hostname: 'WWW.Example.COM.' }).hostname).toBe('www.example.com');
  });

  it.each<[string, unknown, string | null]>([
    ['none', undefined, null],
    ['null', null, null],
    ['a URL', 'https://consents.example.com/hook', 'https://consents.example.com/hook'],
    ['a relative one, as it is', '/hook', '/hook'],
    ['a number', 1, ''],
    ['an object', {}, ''],
    ['a NUL character', 'https://a.example/\0', ''],
    ['half a surrogate pair', 'https://a.example/\ud800', ''],
  ])('reads the custom_endpoint, and never refuses for it: %s', (_, custom_endpoint, expected) => {
    expect(consentOf({ custom_endpoint }).customEndpoint).toBe(expected);
  });

  it('keeps a custom_endpoint of 2,048 characters whole, and of a longer one so much that it is too long', () => {
    const url = (length: number): string => 'https://a.example/'.padEnd(length, 'a');
    expect(consentOf({ custom_endpoint: url(2048) }).customEndpoint).toBe(url(2048));
    expect(consentOf({ custom_endpoint: url(9000) }).customEndpoint).toBe(url(2049));
    // The cut may split a surrogate pair, which PostgreSQL could not store.
    const cut = consentOf({ custom_endpoint: `${url(2048)}😀` }).customEndpoint;
    expect(cut?.isWellFormed()).toBe(true);
  });

  it.each([[null], ['text'], [7], [undefined], [[CHOICE]]])('takes one object alone, and not %j', (body) => {
    expect(parseConsent(body, NOW)).toEqual({
      kind: 'invalid',
      errors: [{ field: '', message: 'Send one JSON object.' }],
    });
  });

  it('names every field that is wrong', () => {
    const wrong = { analytics: 1, marketing: 'true', preferences: null, action: 7, id: 'x', hostname: 'a b' };
    expect(fieldsOf(wrong)).toEqual(['analytics', 'marketing', 'preferences', 'action', 'id', 'hostname']);
    expect(fieldsOf({})).toEqual([]);
  });

  it.each([
    ['A', []],
    ['1a', ['action']],
    ['a b', ['action']],
    ['a_.:-9', []],
    ['', ['action']],
  ])('judges the action %j', (action, refused) => {
    expect(fieldsOf({ action })).toEqual(refused);
  });

  it.each<[unknown, string[]]>([
    ['[2001:db8::1]', []],
    ['[2001:db8::zz]', ['hostname']],
    ['[:::]', ['hostname']],
    ['x[2001:db8::1]', ['hostname']],
    ['localhost', []],
    ['https://a.example', ['hostname']],
    ['a.example:80', ['hostname']],
    [7, ['hostname']],
    [null, []],
  ])('judges the hostname %j', (hostname, refused) => {
    expect(fieldsOf({ hostname })).toEqual(refused);
  });

  it('keeps what was given, and nothing in place of what was not', () => {
    const id = idAt(NOW.getTime()).replace('-7000-8000-', '-7ABC-8DEF-');
    expect(consentOf({ id }).id).toBe(id.toLowerCase());
    expect(consentOf({})).toEqual({
      id: null,
      ...CHOICE,
      hostname: null,
      customEndpoint: null,
      configHash: null,
      language: null,
      surface: null,
      services: null,
      visitorKeyHash: null,
      extraJson: null,
    });
    const extra = { a: [1, null, true, 'x'], b: { c: 'ünï' } };
    expect(JSON.parse(consentOf(extra).extraJson ?? '')).toEqual(extra);
  });

  it.each([
    ['configHash', '0123456789abcdef'.repeat(4), ['a'.repeat(63), 'a'.repeat(65), 'A'.repeat(64), 7]],
    ['language', 'en', ['e', 'en_GB', 'english language', `en-${'abcde-'.repeat(5)}abcde`, '', 5]],
    ['language', 'zh-Hant-TW', ['zh-', '-zh', 'zh--TW', 'i\0']],
    ['language', 'de-CH-1901-u-co-phonebk', []],
    ['language', 'es-419', ['es-41']],
    [
      'language',
      `en-${'a'.repeat(8)}-${'b'.repeat(8)}-${'c'.repeat(8)}-12345`,
      [`en-${'abcdefg-'.repeat(4)}12`],
    ],
    ['surface', 'banner', ['Banner', 'modal', ['banner'], {}]],
    ['surface', 'signal', ['toString']],
    [
      'services',
      { 'google-analytics': true, matomo: false },
      [
        {},
        [true],
        ['matomo'],
        { matomo: 1 },
        { matomo: null },
        { analytics: true },
        { necessary: true },
        { Matomo: true },
        { '0a1b2c3d': true },
        { ['a'.repeat(41)]: true },
        Object.fromEntries(Array.from({ length: 101 }, (_, n) => [`s${n}`, true])),
      ],
    ],
    ['services', Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`s${n}`, n % 2 === 0])), []],
  ])('reads the %s %j, and keeps anything else as an additional field (ADR 37)', (name, value, others) => {
    const read = (given: unknown) => consentOf({ [name]: given });
    expect(read(value)).toEqual({ ...consentOf({}), [name]: value });
    for (const other of [...others, null, false].filter((one) => !String(one).includes('\0'))) {
      expect(read(other)).toEqual({ ...consentOf({}), extraJson: JSON.stringify({ [name]: other }) });
    }
    // A value that cannot be stored is refused, as in any additional field.
    expect(fieldsOf({ [name]: '\0' })).toEqual([name]);
  });

  it('keeps 32 additional fields and refuses 33', () => {
    const fields = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, n]));
    expect(fieldsOf(fields(32))).toEqual([]);
    expect(parse(fields(33))).toEqual({
      kind: 'invalid',
      errors: [{ field: '', message: 'At most 32 additional fields are allowed; received 33.' }],
    });
  });

  it.each<[string, (inner: unknown) => unknown]>([
    ['objects', (inner) => ({ inner })],
    ['arrays', (inner) => [inner]],
  ])('keeps additional fields that nest four levels deep, and refuses five: %s', (_, wrap) => {
    const nested = (levels: number): unknown => (levels === 0 ? 1 : wrap(nested(levels - 1)));
    expect(fieldsOf({ deep: nested(4) })).toEqual([]);
    expect(parse({ deep: nested(5) })).toMatchObject({
      errors: [{ field: 'deep', message: 'The additional field nests deeper than 4 levels.' }],
    });
  });

  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ['a forbidden name', { constructor: 1 }, 'constructor', /a name that is not allowed/],
    ['a forbidden name inside', { a: { prototype: 1 } }, 'a', /a name that is not allowed/],
    [
      'a forbidden name in a list',
      { a: [1, JSON.parse('{"__proto__":1}')] },
      'a',
      /a name that is not allowed/,
    ],
    ['a name that cannot be stored', { 'a\0b': 1 }, '', /a name with a NUL character/],
    ['half a surrogate pair in a name', { a: { '\ud800': 1 } }, 'a', /a name with a NUL character/],
    ['a text with NUL', { a: ['x', '\0'] }, 'a', /a text with a NUL character/],
    ['half a surrogate pair', { a: { b: '\udfff' } }, 'a', /a text with a NUL character/],
    ['a number that JSON cannot say', { a: [Number.POSITIVE_INFINITY] }, 'a', /a number that is too large/],
    ['a long name', { ['n'.repeat(100)]: '\0' }, 'n'.repeat(64), /a text with a NUL character/],
  ])('refuses an additional field with %s', (_, fields, field, message) => {
    expect(parse(fields)).toEqual({
      kind: 'invalid',
      errors: [{ field, message: expect.stringMatching(message) }],
    });
  });
});

describe('consentKey', () => {
  it('names a record by its project and its id', () => {
    expect(consentKey({ projectId: 'p', consentId: 'c' })).toBe('p/c');
  });
});

describe('originHost (design §6.1)', () => {
  it.each([
    ['https://Shop.Example:8443', 'shop.example'],
    ['https://shop.example.', 'shop.example'],
    ['null', ''],
    ['file:///home/page.html', ''],
    ['nonsense', ''],
    [undefined, null],
  ])('of %s is %s', (origin, host) => {
    for (const production of [true, false]) expect(originHost(origin, { production })).toBe(host);
  });

  it.each(['http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:3000'])(
    'spares %s in development, and not in production',
    (origin) => {
      expect(originHost(origin, { production: false })).toBeNull();
      expect(originHost(origin, { production: true })).toBe(new URL(origin).hostname);
    },
  );
});
