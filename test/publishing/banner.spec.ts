import { describe, expect, it } from '@jest/globals';
import {
  cookieDeletions,
  isRightToLeft,
  pickText,
  serviceFacts,
  translationIn,
  withdrawnCookies,
} from '../../loader/banner/rules.js';
import { textLanguage } from '../../src/modules/publishing/domain/text-language.js';

describe('withdrawnCookies', () => {
  const service = (category: string, ...names: string[]) => ({
    category,
    cookies: names.map((name) => ({ name })),
  });
  const services = [
    service('necessary', 'session'),
    service('analytics', '_c', '_c_*'),
    service('marketing', 'ad'),
  ];
  const jar = 'session=1; _c=2; _c_7=a=b; _cx=3; ad=4; other=5; _c_';

  it('are those of services that are not granted, by name or by its beginning', () => {
    expect(withdrawnCookies(jar, services, () => false)).toEqual(['_c', '_c_7', 'ad', '_c_']);
    expect(withdrawnCookies(jar, services, ({ category }) => category === 'analytics')).toEqual(['ad']);
    expect(withdrawnCookies(jar, services, () => true)).toEqual([]);
    expect(withdrawnCookies('', services, () => false)).toEqual([]);
  });
});

describe('cookieDeletions', () => {
  it('are one for each domain and path that the page’s cookies may have', () => {
    expect(cookieDeletions('_c', { hostname: 'example.co.uk', pathname: '/shop/tea' })).toEqual(
      ['/', '/shop', '/shop/', '/shop/tea', '/shop/tea/'].flatMap((path) =>
        ['', ';domain=example.co.uk', ';domain=co.uk'].map((domain) => `_c=;path=${path};max-age=0${domain}`),
      ),
    );
    expect(cookieDeletions('_c', { hostname: 'localhost', pathname: '/' })).toEqual(['_c=;path=/;max-age=0']);
  });

  it('are secure where the name says that the cookie is', () => {
    expect(cookieDeletions('__Secure-c', { hostname: 'localhost', pathname: '/' })).toEqual([
      '__Secure-c=;path=/;max-age=0;secure',
    ]);
    expect(cookieDeletions('x__Secure-c', { hostname: 'localhost', pathname: '/' })).toEqual([
      'x__Secure-c=;path=/;max-age=0',
    ]);
  });

  it('do not grow with an address that means harm', () => {
    const pathname = '/a'.repeat(10_000);
    expect(cookieDeletions('_c', { hostname: 'localhost', pathname })).toHaveLength(21);
  });
});

describe('serviceFacts', () => {
  const labels = { cookieOne: '{count} cookie', cookieCount: '{count} cookies' };
  const facts = (...services: [name: string, cookies: number][]) =>
    serviceFacts(
      services.map(([name, cookies]) => ({ name, cookies: Array.from({ length: cookies }, () => ({})) })),
      { language: 'en', labels },
    );

  it('name up to three services, and count their cookies', () => {
    expect(facts()).toBe('');
    expect(facts(['Matomo', 0])).toBe('Matomo');
    expect(facts(['Matomo', 1])).toBe('Matomo · 1 cookie');
    expect(facts(['Meta', 3], ['Google', 2])).toBe('Meta, Google · 5 cookies');
    expect(facts(['A', 1], ['B', 1], ['C', 1])).toBe('A, B, C · 3 cookies');
    expect(facts(['A', 1], ['B', 1], ['C', 1], ['D', 1])).toBe('A, B, C, … · 4 cookies');
  });

  it('are in the visitor’s language where they are translated', () => {
    const service = { name: 'Counter', cookies: [], translations: [{ language: 'de', name: 'Zähler' }] };
    expect(serviceFacts([service], { language: 'de', labels })).toBe('Zähler');
    expect(serviceFacts([service], { language: 'fr', labels })).toBe('Counter');
  });
});

describe('translationIn', () => {
  it('is undefined where a document has none, or something else in its place', () => {
    expect(translationIn({}, 'de')).toBeUndefined();
    expect(translationIn({ translations: 'x' as never }, 'de')).toBeUndefined();
    expect(translationIn({ translations: [null] as never }, 'de')).toBeUndefined();
    expect(translationIn({ translations: [{ language: 'de' }] }, 'de')).toEqual({ language: 'de' });
  });
});

describe('pickText', () => {
  const texts = ['en', 'pt-BR', 'zh-Hant'].map((language) => ({ language }));

  it.each([
    [['pt-br'], 'pt-BR'],
    [['pt-PT'], 'pt-BR'],
    [['zh-Hant-TW', 'en'], 'zh-Hant'],
    [['', 'fr', 'en-GB'], 'en'],
    [['p', 'ptx', 'fr'], 'en'],
    [['fil', 'zh'], 'zh-Hant'],
  ])('for %j is %s', (wanted, language) => {
    expect(pickText(texts, wanted)?.language).toBe(language);
  });

  const related = ['zh-Hans', 'zh-Hant', 'no', 'sr', 'fil', 'id'].map((language) => ({ language }));

  it.each([
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh', 'zh-Hans'],
    ['zh-Hans-HK', 'zh-Hans'],
    ['nb-NO', 'no'],
    ['nn', 'no'],
    ['sr-Latn-RS', 'sr'],
    ['tl', 'fil'],
    ['in', 'id'],
  ])('knows the scripts and other codes of %s', (wanted, language) => {
    expect(pickText(related, [wanted])?.language).toBe(language);
    expect(textLanguage(wanted)).toBe(language);
  });

  it.each([
    ['ar', true],
    ['he-IL', true],
    ['fa-Latn', true],
    ['arn', false],
    ['en', false],
  ])('knows whether %s is written from right to left: %s', (language, rightToLeft) => {
    expect(isRightToLeft(language)).toBe(rightToLeft);
  });
});
