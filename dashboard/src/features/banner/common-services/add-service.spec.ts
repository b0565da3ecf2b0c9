import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { BLOCKED_HOST, BLOCKED_PATH } from '../../../../../src/modules/publishing/domain/blocking.js';
import { DEFAULT_LANGUAGES } from '../../../../../src/modules/publishing/domain/default-texts.js';
import {
  COOKIES_PER_SERVICE_MAX,
  DECLARED_COOKIE,
} from '../../../../../src/modules/publishing/domain/publishing.limits.js';
import type { Configuration } from '../configuration.js';
import { addCommonService } from './add-service.js';
import { COMMON_SERVICES } from './services.js';
import { lifetimeIn, wordLanguage } from './words.js';

const EMPTY = {
  defaultLanguage: 'en',
  texts: [{ language: 'en' }],
  categories: [],
  services: [],
  blocking: { enabled: false, rules: [] },
} as unknown as Configuration;

const named = (name: string) => COMMON_SERVICES.find((service) => service.name === name)!;

describe('common services', () => {
  it.each(COMMON_SERVICES.map((service) => [service.name, service] as const))(
    '%s can be saved',
    (_, service) => {
      const { cookies, hosts, source, policyUrl } = service;
      for (const url of [source, policyUrl]) expect(url).toMatch(/^https:\/\//);
      expect(cookies.length).toBeLessThanOrEqual(COOKIES_PER_SERVICE_MAX);
      for (const { name } of cookies) expect(name).toMatch(DECLARED_COOKIE);
      for (const { host, path } of hosts) {
        expect(host).toMatch(BLOCKED_HOST);
        if (path) expect(path).toMatch(BLOCKED_PATH);
      }
    },
  );

  it('are listed with their sources in docs/services.md, in alphabetical order', () => {
    const names = COMMON_SERVICES.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    const page = readFileSync('docs/services.md', 'utf8');
    const rows = page
      .split('\n')
      .filter((line) => line.includes('](https://'))
      .map((line) => line.split('|').map((cell) => cell.trim()));
    expect(rows.map(([, name, category, , , source]) => [name, category, source])).toEqual(
      COMMON_SERVICES.map(({ name, category, source }) => [
        name,
        category,
        `[${new URL(source).host}](${source})`,
      ]),
    );
  });

  it('have words in every language of the banner', () => {
    for (const language of DEFAULT_LANGUAGES) expect(wordLanguage(language)).toBe(language);
    expect(wordLanguage('pt-BR')).toBe('pt');
    expect(wordLanguage('ja')).toBeNull();
  });
});

describe('addCommonService', () => {
  it('declares the service, offers its category and blocks its requests', () => {
    expect(addCommonService(EMPTY, named('YouTube'))).toEqual({
      services: [
        {
          name: 'YouTube',
          provider: 'Google',
          category: 'marketing',
          translations: [],
          policyUrl: 'https://policies.google.com/privacy',
          cookies: [
            {
              name: 'VISITOR_INFO1_LIVE',
              duration: '6 months',
              purpose: 'Remembers settings.',
              translations: [],
            },
            { name: 'YSC', duration: 'Session', purpose: 'Detects misuse and fraud.', translations: [] },
          ],
        },
      ],
      categories: ['marketing'],
      blocking: {
        enabled: false,
        rules: [
          { host: 'youtube.com', path: null, category: 'marketing' },
          { host: 'youtube-nocookie.com', path: null, category: 'marketing' },
        ],
      },
    });
  });

  it('translates purposes and durations into the languages of the banner that have words', () => {
    const form = {
      ...EMPTY,
      defaultLanguage: 'de',
      texts: [{ language: 'de' }, { language: 'pt-BR' }, { language: 'ja' }],
    } as Configuration;
    const [cookie] = addCommonService(form, named('Google Analytics')).services[0]?.cookies ?? [];
    expect(cookie).toEqual({
      name: '_ga',
      duration: '2 Jahre',
      purpose: 'Unterscheidet Besucher.',
      translations: [{ language: 'pt-BR', duration: '2 anos', purpose: 'Distingue os visitantes.' }],
    });
  });

  it('adds no rule twice, keeps other rules first, and blocks nothing that is necessary', () => {
    const rule = { host: 'youtube.com', path: null, category: 'analytics' as const };
    const form = { ...EMPTY, blocking: { enabled: true, rules: [rule] } };
    expect(addCommonService(form, named('YouTube')).blocking.rules).toEqual([
      rule,
      { host: 'youtube-nocookie.com', path: null, category: 'marketing' },
    ]);
    expect(addCommonService(form, named('Stripe'))).toMatchObject({
      categories: [],
      blocking: form.blocking,
    });
  });
});

describe('lifetimeIn', () => {
  it.each([
    ['en', [1, 'year'], '1 year'],
    ['en', [24, 'hour'], '24 hours'],
    ['pl', [2, 'year'], '2 lata'],
    ['sv', 'session', 'Session'],
  ] as const)('%s %j is %s', (language, lifetime, words) => {
    expect(lifetimeIn(language, lifetime === 'session' ? lifetime : [...lifetime])).toBe(words);
  });
});
