import { describe, expect, it } from '@jest/globals';
import {
  judgeScanAddress,
  normalizePageUrl,
  PAGE_URL_CHARACTERS_MAX,
  type ScanScope,
} from './scan-address.js';

const SCOPE: ScanScope = {
  domains: ['example.com', 'shop.example.org'],
  allowedTargets: new Set(['127.0.0.1:3000', 'shop.example.org:8080']),
  excludedHosts: [],
  production: true,
};

describe('normalizePageUrl', () => {
  it.each([
    ['https://Example.com', 'https://example.com/'],
    ['https://example.com:443/a', 'https://example.com/a'],
    ['http://example.com:80/a', 'http://example.com/a'],
    ['https://example.com./a', 'https://example.com/a'],
    ['https://example.com/a#part', 'https://example.com/a'],
    ['https://user:secret@example.com/a', 'https://example.com/a'],
    ['https://example.com/a?utm_source=x&b=1&gclid=2', 'https://example.com/a?b=1'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
  ])('turns %s into %s', (given, normalized) => {
    expect(normalizePageUrl(given)).toBe(normalized);
  });

  it('resolves a link against its page', () => {
    expect(normalizePageUrl('../b?x=1', 'https://example.com/a/c')).toBe('https://example.com/b?x=1');
  });

  it.each([
    'mailto:a@example.com',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://example.com/',
    'a b',
    '',
  ])('refuses %p', (given) => {
    expect(normalizePageUrl(given)).toBeNull();
  });

  it('takes as many characters as the limit says and not one more', () => {
    const base = 'https://example.com/';
    const url = base + 'a'.repeat(PAGE_URL_CHARACTERS_MAX - base.length);
    expect(normalizePageUrl(url)).toBe(url);
    expect(normalizePageUrl(`${url}a`)).toBeNull();
  });
});

describe('judgeScanAddress', () => {
  it.each([
    'https://example.com/',
    'http://example.com/a?b=1',
    'https://www.example.com/',
    'https://a.b.shop.example.org/',
    'http://example.com:443/',
    'http://shop.example.org:8080/',
  ])('allows %s', (url) => {
    expect(judgeScanAddress(url, SCOPE)).toBeNull();
  });

  it.each([
    ['https://example.org/', 'outside_project'],
    ['https://notexample.com/', 'outside_project'],
    ['https://example.com.evil.test/', 'outside_project'],
    ['http://127.0.0.1:3000/', 'outside_project'],
    ['http://[::1]/', 'outside_project'],
    ['https://example.com:8443/', 'port'],
    ['http://example.com:22/', 'port'],
    ['ftp://example.com/', 'malformed'],
    ['example.com', 'malformed'],
  ])('refuses %s: %s', (url, refusal) => {
    expect(judgeScanAddress(url, SCOPE)).toBe(refusal);
  });

  it('allows this machine in development, on the listed ports alone', () => {
    const development = { ...SCOPE, production: false };
    expect(judgeScanAddress('http://127.0.0.1:3000/demo', development)).toBeNull();
    expect(judgeScanAddress('http://127.0.0.1:5432/', development)).toBe('port');
  });
});

it.each([
  ['https://never.example.com/', 'excluded'],
  ['https://never.example.com./', 'outside_project'],
  ['https://below.never.example.com/a', 'excluded'],
  ['https://notnever.example.com/', null],
  ['https://example.com/', null],
])('judges %s as %s where never.example.com is excluded', (url, refusal) => {
  const scope = { domains: ['example.com'], allowedTargets: new Set<string>(), production: true };
  expect(judgeScanAddress(url, { ...scope, excludedHosts: ['never.example.com'] })).toBe(refusal);
});
