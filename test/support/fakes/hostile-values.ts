import { gzipSync } from 'node:zlib';
import type { RawRequest } from './raw-request.js';

/** Deeper than any recursion survives. */
const DEEP = 20_000;

const nested = (open: string, close: string): string => open.repeat(DEEP) + close.repeat(DEEP);

/** JSON texts of wrong types for a field. */
export const NASTY_VALUES: string[] = [
  'null',
  'true',
  '0',
  '-1',
  '1.5',
  '1e400',
  '-1e400',
  '9007199254740993',
  '99999999999999999999999999999999999999',
  '""',
  '" "',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\ud800"',
  '"\\udfff\\ud800"',
  '"\\u202e\\ufeff"',
  '"\u0001\\u0007"',
  '"../../etc/passwd"',
  `"' or 1=1; drop table project; --"`,
  '"%00%ff%zz"',
  `"${'x'.repeat(5000)}"`,
  `"${'😀'.repeat(2000)}"`,
  '"2026-13-45T99:99:99Z"',
  '"+275760-09-13T00:00:00.001Z"',
  '"0000-00-00"',
  '[]',
  '[null]',
  '[[]]',
  '["text"]',
  '[1e400]',
  '{}',
  '{"length":3}',
  '{"toString":1,"valueOf":1}',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  `[${'1,'.repeat(3000)}1]`,
  nested('[', ']'),
  nested('{"a":', '}').replace('}', '1}'),
];

export const JSON_TYPE = { 'content-type': 'application/json' };

/** Bodies that are wrong as a whole. */
export const NASTY_BODIES: Pick<RawRequest, 'headers' | 'body'>[] = [
  ...[
    '',
    ' ',
    '{',
    '{}',
    '[]',
    'null',
    'true',
    '7',
    '"text"',
    'undefined',
    'NaN',
    "{'a':1}",
    '{"a":1}}',
    '\ufeff{}',
    '\u0000',
    '{"__proto__":{"a":1}}',
    '{"constructor":{"prototype":{"a":1}}}',
    '{"toString":1,"hasOwnProperty":1,"then":1}',
    '{"":""}',
    '{"a.b":1,"0":1}',
    '{"\\u0000":1,"\\ud800":1}',
    `{"${'k'.repeat(9000)}":1}`,
    `{${Array.from({ length: 3000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
    nested('[', ']'),
    `{"a":${nested('[', ']')}}`,
    '"x"'.padEnd(200_000, ' '),
  ].map((body) => ({ headers: JSON_TYPE, body })),
  { headers: JSON_TYPE, body: Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]) },
  { headers: JSON_TYPE, body: Buffer.from('{"name":"\xff\xfe"}', 'latin1') },
  {
    headers: { 'content-type': 'application/json; charset=utf-16' },
    body: Buffer.from('{"a":1}', 'utf16le'),
  },
  { headers: { 'content-type': 'application/json; charset=nonsense' }, body: '{}' },
  { headers: { 'content-type': 'application/json;;;' }, body: '{}' },
  { headers: { 'content-type': ';' }, body: '{}' },
  { headers: { 'content-type': 'text/plain' }, body: '{' },
  { headers: { 'content-type': 'text/html' }, body: '<p>' },
  { headers: { 'content-type': 'application/xml' }, body: '<a/>' },
  { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=1&a[b]=2' },
  { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' },
  { headers: {}, body: '{}' },
  { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: 'no gzip' },
  { headers: { ...JSON_TYPE, 'content-encoding': 'nonsense' }, body: '{}' },
  { headers: { ...JSON_TYPE, 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(20_000_000, ' ')) },
  { headers: JSON_TYPE },
];

/** Invalid ids for the path. */
export const NASTY_SEGMENTS = [
  '%00',
  '%ff',
  '%zz',
  '%',
  '%ed%a0%80',
  '%2e%2e%2f',
  '%2F',
  "'%20or%201=1--",
  'null',
  'undefined',
  'not-an-id',
  '00000000-0000-0000-0000-00000000000g',
  '{00000000-0000-7000-8000-000000000000}',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '%F0%9F%98%80',
  '__proto__',
  'x'.repeat(3000),
];

/** Values of a query parameter, in their form in the URL. */
export const NASTY_QUERY_VALUES = [
  '',
  '%00',
  '%ff',
  '%zz',
  '%ed%a0%80',
  'null',
  '-1',
  '0',
  '1e3',
  '99999999999999999999',
  '2026-02-30',
  '9999-12-31T23:59:59.999Z',
  '-271821-04-20T00:00:00Z',
  "'--",
  '%F0%9F%98%80',
  'x'.repeat(6000),
];

/** Methods that no route has. */
export const NASTY_METHODS = ['HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'LINK'];

/** Values of `Authorization` without a valid credential. */
export const NASTY_CREDENTIALS = [
  '',
  'Bearer',
  'Bearer ',
  'Bearer \u00ff',
  'Basic Og==',
  `Bearer ${'x'.repeat(5000)}`,
];

/** Headers that lie, or that are none. */
export const NASTY_HEADERS: Record<string, string>[] = [
  { cookie: 'session=%00; __Host-session=%zz; a' },
  { cookie: `${'a=b; '.repeat(900)}` },
  { origin: 'null', 'sec-fetch-site': 'cross-site' },
  { origin: 'http://[' },
  { host: '' },
  { host: 'a b:99999' },
  { 'x-forwarded-for': 'nonsense, ::ffff:1.2.3.4, 999.1.1.1' },
  { 'x-forwarded-for': '', 'x-forwarded-proto': 'nonsense', 'x-forwarded-host': '"' },
  { 'x-request-id': 'x'.repeat(4000) },
  { accept: 'nonsense', 'accept-encoding': '*;q=x', 'if-none-match': '"', range: 'bytes=9-1' },
  { 'x-http-method-override': 'DELETE' },
];
