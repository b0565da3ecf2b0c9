import { describe, expect, it } from '@jest/globals';
import { cut, isThirdParty, maskUrl, maskValue } from './observation.js';

it('keeps of a value its length and eight digits of its hash', () => {
  expect(maskValue('abc')).toEqual({ valueLength: 3, valueHash: 'ba7816bf' });
  expect(maskValue('')).toEqual({ valueLength: 0, valueHash: 'e3b0c442' });
});

describe('maskUrl', () => {
  it('keeps host, path and the names of the query', () => {
    const masked = maskUrl(
      'https://user:secret@t.example:8443/collect?uid=secret&uid=secret&t=secret#secret',
    );
    expect(masked).toEqual({ host: 't.example:8443', name: '/collect?uid&t' });
    expect(JSON.stringify(masked)).not.toContain('secret');
  });

  it('takes web sockets', () => {
    expect(maskUrl('wss://t.example/live')).toEqual({ host: 't.example', name: '/live' });
  });

  it.each(['data:text/plain,x', 'blob:https://example.com/1', 'chrome://version', 'nonsense'])(
    'leaves %s out',
    (url) => expect(maskUrl(url)).toBeNull(),
  );

  it('cuts long paths', () => {
    expect(maskUrl(`https://example.com/${'a'.repeat(1000)}`)?.name).toHaveLength(300);
  });
});

it('removes what PostgreSQL cannot store', () => {
  expect(cut('a\u0000b\ud800')).toBe('ab\ufffd');
});

it.each([
  ['example.com', 'www.example.com', false],
  ['.example.co.uk', 'shop.example.co.uk', false],
  ['example.com:8443', 'example.com', false],
  ['example.com', 'example.org', true],
  ['a.github.io', 'b.github.io', true],
  ['127.0.0.1:3000', 'localhost:3000', true],
  ['127.0.0.1:3000', '127.0.0.1:4000', false],
])('%s on %s: third party %s', (host, page, expected) => {
  expect(isThirdParty(host, page)).toBe(expected);
});
