import { describe, expect, it } from '@jest/globals';
import { renderLetter } from './letter.js';
import { MAIL_LANGUAGES, mailLanguage } from './mail-language.js';
import { fillTemplate, MAILS } from './mail-templates.js';

const CONTEXT = { baseUrl: 'https://consent.example.com', projectId: 'p1' };
/** Every value that any template has. */
const VALUES = {
  name: 'Ada',
  link: 'https://consent.example.com/x?token=t',
  project: 'Tea shop',
  organization: 'Tea company',
  role: 'editor',
  what: 'Two-factor authentication was turned on',
  email: 'new@example.com',
  former: 'ada@example.com',
  since: '2026-11-24T04:36:07.250Z',
  until: '2026-11-24T05:00:00.000Z',
  reason: 'Timeout.',
  lost: 2,
  sent: 3,
  records: 2,
  more: false,
  scanId: 's1',
  token: 'tok',
  newItems: { count: 7, names: ['_ga', 'Google Ads'] },
  beforeConsent: { count: 1, names: ['_fbp'] },
  loaderGone: ['shop.example'],
  hostname: 'consent.shop.example',
  host: 'hooks.shop.example',
  device: 'build-7',
  event: 'failing',
  at: '2026-12-01T04:36:07.250Z',
  dnsRecords: ['consent.shop.example CNAME t.edge.example.com', '_c.consent.shop.example TXT t'],
};
const NAMES = Object.keys(MAILS);

describe(fillTemplate.name, () => {
  it.each(NAMES)(
    'writes %s in every language, with at most one link and the reason why it was sent',
    (template) => {
      const letters = MAIL_LANGUAGES.map((language) =>
        fillTemplate({ template, values: VALUES, language }, CONTEXT),
      );
      for (const letter of letters) {
        expect(letter?.reason).toMatch(/^(You received this email because|Sie erhalten diese E-Mail)/);
        expect(letter?.paragraphs.filter((part) => typeof part !== 'string').length).toBeLessThanOrEqual(1);
        expect(JSON.stringify(letter)).not.toMatch(/undefined|\[object/);
      }
      const [english, german] = letters.map((letter) => letter && renderLetter(letter).text);
      expect(german).not.toBe(english);
      // The same link in every language, or none in all of them.
      const links = letters.map((letter) => letter?.paragraphs.find((part) => typeof part !== 'string'));
      expect(new Set(links.map((link) => (typeof link === 'object' ? link.url : null))).size).toBe(1);
    },
  );

  it('leads from a notice to the page that it is about', () => {
    const urlIn = (template: string, projectId: string | null = 'p1') => {
      const letter = fillTemplate({ template, values: VALUES, language: 'en' }, { ...CONTEXT, projectId });
      const link = letter?.paragraphs.find((part) => typeof part === 'object');
      return typeof link === 'object' ? link.url : null;
    };
    expect(urlIn('receiver_away')).toBe('https://consent.example.com/projects/p1/deliveries');
    expect(urlIn('receiver_away', null)).toBe('https://consent.example.com/');
    expect(urlIn('password_changed')).toBe('https://consent.example.com/forgotten-password');
    expect(urlIn('account_deleted')).toBeNull();
  });

  it('says what happens to a custom domain, when, and which record is missing', () => {
    for (const event of ['failing', 'suspending', 'releasing', 'moved']) {
      for (const language of MAIL_LANGUAGES) {
        const letter = fillTemplate(
          { template: 'custom_domain', values: { ...VALUES, event }, language },
          CONTEXT,
        );
        const text = letter ? renderLetter(letter).text : '';
        expect(text).toContain('consent.shop.example');
        expect(text.includes('CNAME t.edge.example.com')).toBe(event !== 'moved');
        expect(/2026/.test(text)).toBe(event !== 'moved');
        expect(text).toContain('https://consent.example.com/projects/p1/install');
      }
    }
  });

  it.each([
    [
      'event_endpoint_failing',
      'en',
      [/hooks\.shop\.example/, /since Nov 24, 2026/, /within 72 hours/, /five days/],
    ],
    [
      'event_endpoint_failing',
      'de',
      [/hooks\.shop\.example/, /seit 24\.11\.2026/, /72 Stunden/, /fünf Tagen/],
    ],
    [
      'event_endpoint_disabled',
      'en',
      [/since Nov 24, 2026/, /we disabled it/, /Enable it again/, /last 14 days/],
    ],
    ['event_endpoint_disabled', 'de', [/seit 24\.11\.2026/, /abgeschaltet/, /wieder ein/, /letzten 14 Tage/]],
  ] as const)('says in %s, %s, since when, what follows and what helps', (template, language, sentences) => {
    const letter = fillTemplate({ template, values: VALUES, language }, CONTEXT);
    const { text, html, subject } = renderLetter(letter ?? { subject: '', paragraphs: [], reason: '' });
    expect(subject).toContain('Tea shop');
    for (const body of [text, html])
      for (const part of [...sentences, /consent\.example\.com\/projects\/p1\/settings\/events/])
        expect(body).toMatch(part);
  });

  it('names what a scan found, and lets nothing that a site chose become a link', () => {
    const written = (given: Partial<typeof VALUES>, language: 'en' | 'de' = 'en') =>
      fillTemplate({ template: 'scan_alert', values: { ...VALUES, ...given }, language }, CONTEXT);
    const none = {
      newItems: { count: 0, names: [] },
      beforeConsent: { count: 0, names: [] },
      loaderGone: [],
    };
    expect(written({})?.subject).toBe(
      'Scan of "Tea shop": loader missing, storage before consent, 7 new items',
    );
    expect(written({ ...none, newItems: { count: 1, names: [] } })).toMatchObject({
      subject: 'Scan of "Tea shop": 1 new item',
      paragraphs: [
        expect.stringContaining('1 item.'),
        { url: 'https://consent.example.com/projects/p1/scans/s1' },
      ],
      unsubscribe: { label: 'Unsubscribe', url: 'https://consent.example.com/unsubscribe?token=tok' },
    });
    expect(JSON.stringify(written({}, 'de'))).toContain('„_ga“, „Google Ads“ und 5 weitere.');
    const hostile = written({ ...none, newItems: { count: 1, names: ['https://evil.example/x'] } });
    expect(JSON.stringify(hostile?.paragraphs)).not.toContain('evil.example');
    const { text, html, unsubscribeUrl } = renderLetter(
      written({}) ?? { subject: '', paragraphs: [], reason: '' },
    );
    expect(unsubscribeUrl).toBe('https://consent.example.com/unsubscribe?token=tok');
    expect(
      [text, html].every((each) => each.includes('https://consent.example.com/unsubscribe?token=tok')),
    ).toBe(true);
  });

  it('writes instants as people do', () => {
    const [english, german] = MAIL_LANGUAGES.map(
      (language) =>
        fillTemplate({ template: 'receiver_away', values: VALUES, language }, CONTEXT)?.paragraphs[0],
    );
    expect(english).toMatch(/since Nov 24, 2026, 4:36\sAM UTC\./);
    expect(german).toContain('seit 24.11.2026, 04:36 UTC');
  });

  it('has no letter for a template that is gone', () => {
    for (const template of ['nothing', 'toString', '__proto__'])
      expect(fillTemplate({ template, values: {}, language: 'en' }, CONTEXT)).toBeNull();
  });
});

describe(mailLanguage.name, () => {
  it.each([
    ['de', 'de'],
    ['en', 'en'],
    ['fr', 'en'],
    ['', 'en'],
    [null, 'en'],
    [undefined, 'en'],
  ])('of %j is %s', (code, language) => {
    expect(mailLanguage(code)).toBe(language);
  });
});
