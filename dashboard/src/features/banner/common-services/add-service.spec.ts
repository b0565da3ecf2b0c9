import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { BLOCKED_HOST, BLOCKED_PATH } from '../../../../../src/modules/publishing/domain/blocking.js';
import {
  DEFAULT_CONFIGURATION,
  type SiteConfiguration,
} from '../../../../../src/modules/publishing/domain/configuration.js';
import { defaultText } from '../../../../../src/modules/publishing/domain/default-texts.js';
import { renderDocument } from '../../../../../src/modules/publishing/domain/document.js';
import {
  COOKIES_PER_SERVICE_MAX,
  DECLARED_COOKIE,
} from '../../../../../src/modules/publishing/domain/publishing.limits.js';
import {
  VISITOR_BYTES_MAX,
  visitorBytes,
  visitorFiles,
} from '../../../../../src/modules/publishing/domain/visitor-files.js';
import type { Configuration } from '../configuration.js';
import { addCommonService } from './add-service.js';
import { COMMON_SERVICES } from './services.js';
import { lifetimeIn, WORD_LANGUAGES, wordLanguage } from './words.js';

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

  it('have words in ten languages', () => {
    expect(WORD_LANGUAGES).toHaveLength(10);
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

describe('ten languages with twenty services', () => {
  /** Ours, and more of the same kind under other names. */
  const services = [...COMMON_SERVICES, ...COMMON_SERVICES]
    .filter(({ category }) => category !== 'necessary')
    .slice(0, 20)
    .map((service, at) => {
      const nameOf = (name: string): string =>
        at < COMMON_SERVICES.length ? name : [...name.replace('*', '')].toReversed().join('');
      return {
        ...service,
        name: nameOf(service.name),
        cookies: service.cookies.map((cookie) => ({ ...cookie, name: nameOf(cookie.name) })),
      };
    });

  it.each(WORD_LANGUAGES.map((language) => [language]))(
    'fit what a visitor downloads before the banner is visible, with %s as the default',
    (defaultLanguage) => {
      const empty: SiteConfiguration = {
        ...DEFAULT_CONFIGURATION,
        policyUrl: 'https://www.example.com/privacy',
        defaultLanguage,
        texts: WORD_LANGUAGES.map((language) => ({ ...defaultText(language), labels: {} })),
        banner: { ...DEFAULT_CONFIGURATION.banner, enabled: true },
      };
      const configuration = services.reduce((form, service) => {
        const added = addCommonService(form as Configuration, service);
        return { ...form, services: added.services as SiteConfiguration['services'] };
      }, empty);
      expect(configuration.services.length).toBe(20);
      const { document } = renderDocument({
        projectId: '01a1fec8-570f-715b-b2b3-e89dce8cae7b',
        domains: ['example.com'],
        controller: { name: 'Example Ltd', contact: null },
        tier: 'business',
        configuration,
        publicBaseUrl: 'https://api.example.com',
        scripts: {
          banner: 'banner-0123456789abcdef.js',
          bannerWithSignals: 'banner-fedcba9876543210.js',
          signals: 'signals-0123456789abcdef.js',
        },
        countsVisits: true,
        at: new Date('2026-11-26'),
      });
      const largest = Math.max(...visitorBytes(visitorFiles(document)).map(({ bytes }) => bytes));
      expect(largest).toBeLessThanOrEqual(VISITOR_BYTES_MAX);
    },
  );
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
