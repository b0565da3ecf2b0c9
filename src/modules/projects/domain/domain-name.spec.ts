import { describe, expect, it } from '@jest/globals';
import { DOMAINS_PER_PROJECT_MAX, normalizeDomain, normalizeDomains } from './domain-name.js';

const production = { production: true };
const development = { production: false };

describe('normalizeDomain', () => {
  it.each([
    ['example.com', 'example.com'],
    ['  example.com ', 'example.com'],
    ['WWW.Example.COM', 'www.example.com'],
    ['example.com.', 'example.com'],
    ['a.b-c.example.co.uk', 'a.b-c.example.co.uk'],
    ['münchen.de', 'xn--mnchen-3ya.de'],
    ['xn--mnchen-3ya.de', 'xn--mnchen-3ya.de'],
    ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
    ['ｅｘａｍｐｌｅ.com', 'example.com'],
    ['1.example', '1.example'],
    [`${'a'.repeat(63)}.com`, `${'a'.repeat(63)}.com`],
  ])('takes %p as %p', (given, host) => {
    expect(normalizeDomain(given, production)).toBe(host);
  });

  it.each([
    [''],
    [' '],
    ['.'],
    ['.com'],
    ['example'],
    ['example..com'],
    ['example.com..'],
    ['https://example.com'],
    ['//example.com'],
    ['example.com/'],
    ['example.com/path'],
    ['example.com\\path'],
    ['example.com:443'],
    ['example.com:'],
    ['user@example.com'],
    ['example.com?x'],
    ['example.com#x'],
    ['*.example.com'],
    ['exam%70le.com'],
    ['exam ple.com'],
    ['exam\tple.com'],
    ['example.com\u0000'],
    ['example\ud800.com'],
    ['-example.com'],
    ['example-.com'],
    ['exa_mple.com'],
    ['127.0.0.1'],
    ['2130706433'],
    ['0x7f.1'],
    ['①②⑦.0.0.1'],
    ['127。0。0。1'],
    ['1.2.3.4.5'],
    ['[::1]'],
    ['::1'],
    [`${'a'.repeat(64)}.com`],
    [`${'a.'.repeat(126)}toolong`],
    ['a'.repeat(100_000)],
    [null],
    [undefined],
    [7],
    [{}],
    [['example.com']],
  ])('refuses %p', (given) => {
    expect(normalizeDomain(given, development)).toBeNull();
  });

  it('takes localhost outside production only', () => {
    expect(normalizeDomain('LocalHost', development)).toBe('localhost');
    expect(normalizeDomain('localhost.', development)).toBe('localhost');
    expect(normalizeDomain('localhost', production)).toBeNull();
  });
});

describe('normalizeDomains', () => {
  it('folds names that are the same in their normal form and keeps the order', () => {
    expect(normalizeDomains(['b.com', 'A.com', 'a.com.', 'B.COM'], production)).toEqual({
      kind: 'accepted',
      domains: ['b.com', 'a.com'],
    });
  });

  it('takes an empty list', () => {
    expect(normalizeDomains([], production)).toEqual({ kind: 'accepted', domains: [] });
  });

  it('names every refused entry by its index', () => {
    const outcome = normalizeDomains(['https://a.com', 'b.com', 7], production);
    expect(outcome).toMatchObject({
      kind: 'refused',
      errors: [{ field: 'domains.0' }, { field: 'domains.2' }],
    });
  });

  it('takes as many names as the limit says and not one more', () => {
    const names = Array.from({ length: DOMAINS_PER_PROJECT_MAX }, (_, index) => `site${index}.com`);
    expect(normalizeDomains(names, production).kind).toBe('accepted');
    expect(normalizeDomains([...names, 'one-more.com'], production)).toMatchObject({
      kind: 'refused',
      errors: [{ field: 'domains' }],
    });
  });
});
