import { describe, expect, it } from '@jest/globals';
import {
  cookieItems,
  type CookieTrace,
  presentItems,
  readCookieText,
  type StoredCookie,
} from './cookie-items.js';

const HOUR_MS = 3_600_000;

const cookie = (given: Partial<StoredCookie> = {}): StoredCookie => ({
  name: 'id',
  value: '1',
  domain: 'shop.example',
  path: '/',
  expires: -1,
  httpOnly: false,
  secure: false,
  sameSite: 'Lax',
  ...given,
});
const trace = (given: Partial<CookieTrace> = {}): CookieTrace => ({
  name: 'id',
  value: '1',
  domain: 'shop.example',
  path: null,
  by: 'script',
  source: 'tags.example/t.js',
  wasRead: false,
  ...given,
});
type Given = { before?: StoredCookie[]; after?: StoredCookie[]; set?: CookieTrace[]; shared?: boolean };
const details = ({ before = [], after = [cookie()], set = [], shared = false }: Given): unknown[] =>
  cookieItems({ before, after, shared }, { pageHost: 'shop.example', frameHosts: [], set, sent: [] }).map(
    (item) => [item.host, item.details.setBy, item.details.initiator],
  );

describe('the text of a cookie', () => {
  it.each([
    ['a=1', { name: 'a', value: '1', domain: 'shop.example', path: null }],
    [' a = x=y ; Path=/p; Secure', { name: 'a', value: 'x=y', domain: 'shop.example', path: '/p' }],
    ['a=1; domain=Shop.example', { name: 'a', value: '1', domain: '.shop.example', path: null }],
    ['a=1; Domain=.example; max-age=1', { name: 'a', value: '1', domain: '.example', path: null }],
    ['a=1; path=relative; expires=never', { name: 'a', value: '1', domain: 'shop.example', path: null }],
    [`a=1; Expires=${new Date(Date.now() + HOUR_MS).toUTCString()}`, { name: 'a', value: '1' }],
    // Max-Age counts before Expires.
    ['a=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT', { name: 'a', value: '1' }],
    ['alone', { name: '', value: 'alone' }],
  ])('%s', (text, expected) => {
    expect(readCookieText(text, 'shop.example:8443')).toMatchObject(expected);
  });

  it.each(['a=; max-age=0', 'a=1; Max-Age=-1', 'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT'])(
    'deletes: %s',
    (text) => expect(readCookieText(text, 'shop.example')).toBeNull(),
  );

  it('has no subdomains of a literal address', () => {
    expect(readCookieText('a=1; domain=127.0.0.1', '127.0.0.1:80')).toMatchObject({ domain: '127.0.0.1' });
  });
});

describe('what set a cookie', () => {
  it('is found by domain and path, not by the name alone', () => {
    const other = trace({ domain: 'ads.example', by: 'response', source: 'ads.example/c' });
    const after = [cookie(), cookie({ domain: 'ads.example' })];
    expect(details({ after, set: [trace(), other] })).toEqual([
      ['shop.example', 'script', 'tags.example/t.js'],
      ['ads.example', 'response', 'ads.example/c'],
    ]);
    expect(details({ set: [other] })).toEqual([['shop.example', 'script', undefined]]);
    expect(details({ set: [trace({ path: '/elsewhere' })] })).toEqual([
      ['shop.example', 'script', undefined],
    ]);
    expect(details({ set: [trace({ domain: '.shop.example' })] })).toEqual([
      ['shop.example', 'script', undefined],
    ]);
  });

  it('is the last one with its value', () => {
    const set = [trace({ source: 'a/1' }), trace({ source: 'b/2' }), trace({ value: '2', source: 'c/3' })];
    expect(details({ set })).toEqual([['shop.example', 'script', 'b/2']]);
    // The value was changed on the way.
    expect(details({ set: [trace({ value: '0', source: 'a/1' })] })).toEqual([
      ['shop.example', 'script', 'a/1'],
    ]);
  });

  it('is no script where scripts cannot set it', () => {
    const after = [cookie({ httpOnly: true })];
    expect(details({ after, set: [trace()] })).toEqual([['shop.example', 'response', undefined]]);
    // No frame of this site is on the page.
    const elsewhere = [cookie({ domain: 'ads.example' })];
    expect(details({ after: elsewhere })).toEqual([['ads.example', 'response', undefined]]);
    const [framed] = cookieItems(
      { before: [], after: elsewhere },
      { pageHost: 'shop.example', frameHosts: ['ads.example:8443'], set: [], sent: [] },
    );
    expect(framed?.details.setBy).toBe('script');
  });

  it('is not the page where the cookie was there before, or other pages were open', () => {
    expect(details({ before: [cookie()] })).toEqual([]);
    expect(details({ shared: true })).toEqual([]);
    expect(details({ before: [cookie()], set: [trace()] })).toEqual([
      ['shop.example', 'script', 'tags.example/t.js'],
    ]);
    // Another page set it; the text of this page had no effect.
    expect(details({ before: [cookie()], set: [trace({ value: '2' })] })).toEqual([]);
  });

  it('says nothing about a cookie that is only there', () => {
    const [item] = presentItems([cookie()], 'shop.example');
    expect(item?.details).toMatchObject({ sent: false });
    expect(item?.details.setBy).toBeUndefined();
  });
});

describe('a cookie that is sent', () => {
  const sentItems = (after: StoredCookie, sent: { host: string; path: string; name: string }): number =>
    cookieItems(
      { before: [after], after: [after] },
      { pageHost: 'shop.example', frameHosts: [], set: [], sent: [sent] },
    ).length;

  it.each<[Partial<StoredCookie>, string, string, number]>([
    [{}, 'shop.example:8443', '/x', 1],
    [{}, 'www.shop.example', '/x', 0],
    [{ domain: '.shop.example' }, 'www.shop.example', '/x', 1],
    [{ domain: '.shop.example' }, 'evilshop.example', '/x', 0],
    [{ path: '/a' }, 'shop.example', '/a', 1],
    [{ path: '/a' }, 'shop.example', '/a/b', 1],
    [{ path: '/a' }, 'shop.example', '/ab', 0],
  ])('%j to %s%s', (given, host, path, count) => {
    expect(sentItems(cookie(given), { host, path, name: 'id' })).toBe(count);
  });
});

describe('a cookie that is gone at the end', () => {
  const gone = (set: CookieTrace[], sent: { host: string; path: string; name: string }[] = []): unknown[] =>
    cookieItems({ before: [], after: [] }, { pageHost: 'shop.example', frameHosts: [], set, sent }).map(
      ({ host, details: seen }) => [host, seen.setBy, seen.sent, seen.removed, seen.initiator],
    );

  it('is listed if a script read or a request sent it', () => {
    const sent = [{ host: 'ads.example', path: '/c', name: 'id' }];
    const third = trace({ domain: 'ads.example', by: 'response', source: 'ads.example/c' });
    expect(gone([trace({ wasRead: true })])).toEqual([
      ['shop.example', 'script', false, true, 'tags.example/t.js'],
    ]);
    expect(gone([third], sent)).toEqual([['ads.example', 'response', true, true, 'ads.example/c']]);
    expect(gone([third])).toEqual([]);
    expect(gone([trace()])).toEqual([]);
  });
});
