import { expect, it } from '@jest/globals';
import { translator } from '../../../platform/messages/messages.js';
import { type DescribedFinding, findingSentence } from './finding-sentence.js';
import type { UsedPage } from './seen-item.js';

const use = (path: string, given: Partial<UsedPage> = {}): UsedPage => ({
  url: `https://shop.example${path}`,
  setBy: null,
  sent: false,
  initiator: null,
  ...given,
});
const META = { setBy: 'script', initiator: 'connect.facebook.net/en_US/fbevents.js' } as const;

function sentences(uses: UsedPage[], given: Partial<DescribedFinding> = {}): string[] {
  const finding: DescribedFinding = {
    kind: 'before_consent',
    itemKind: 'cookie',
    name: '_fbp',
    host: 'shop.example',
    uses,
    pageUrls: uses.map(({ url }) => url),
    initiator: null,
    declared: null,
    lifetimeSeconds: null,
    ...given,
  };
  return (['en', 'de'] as const).map((language) =>
    findingSentence(finding, { language, translate: translator(language, 'scans') as never }),
  );
}

it.each<[string, UsedPage[], string, string]>([
  [
    'one page set it and others sent it',
    [use('/a', { sent: true }), use('/b', META), use('/c', { sent: true })],
    '“_fbp” was set on /b by connect.facebook.net and sent from 2 more pages before any choice.',
    '„_fbp“ wurde vor jeder Auswahl auf /b durch connect.facebook.net gesetzt und von 2 weiteren Seiten gesendet.',
  ],
  [
    'several things set it, one of them unknown',
    [use('/a', META), use('/b', { setBy: 'script' }), use('/c', { sent: true }), use('/d')],
    '“_fbp” was set on /a and 1 more page by connect.facebook.net and an unknown script, sent from 1 more page, and present on 1 more page before any choice.',
    '„_fbp“ wurde vor jeder Auswahl auf /a und 1 weiteren Seite durch connect.facebook.net und ein unbekanntes Skript gesetzt, von 1 weiteren Seite gesendet und auf 1 weiteren Seite vorgefunden.',
  ],
  [
    'pages only sent it',
    [use('/a', { sent: true }), use('/b', { sent: true })],
    '“_fbp” was sent from /a and 1 more page before any choice.',
    '„_fbp“ wurde vor jeder Auswahl von /a und 1 weiteren Seite gesendet.',
  ],
  [
    'it was only there',
    [use('/a')],
    '“_fbp” was present on /a before any choice.',
    '„_fbp“ wurde vor jeder Auswahl auf /a vorgefunden.',
  ],
  [
    'a response set it whose address is unknown',
    [use('/a', { setBy: 'response' })],
    '“_fbp” was set on /a before any choice.',
    '„_fbp“ wurde vor jeder Auswahl auf /a gesetzt.',
  ],
  [
    'more set it than a sentence names',
    ['a', 'b', 'c', 'd'].map((name) =>
      use(`/${name}`, { setBy: 'script', initiator: `${name}.example/x.js` }),
    ),
    '“_fbp” was set on /a and 3 more pages by a.example, b.example, c.example, and others before any choice.',
    '„_fbp“ wurde vor jeder Auswahl auf /a und 3 weiteren Seiten durch a.example, b.example, c.example und andere gesetzt.',
  ],
])('says which pages set, sent or had an item: %s', (_, uses, english, german) => {
  expect(sentences(uses)).toEqual([english, german]);
});

it('claims nothing of findings whose uses are not known', () => {
  expect(sentences([], { pageUrls: ['https://shop.example/a'], kind: 'undeclared' })).toEqual([
    '“_fbp” was present on /a, but no service of the published banner lists it.',
    '„_fbp“ wurde auf /a vorgefunden, aber kein Dienst des veröffentlichten Banners führt es auf.',
  ]);
});

it('says which pages of the site do not block a host', () => {
  const given = { kind: 'not_blocked_by_site', itemKind: 'request', name: '', host: 'ads.example' } as const;
  expect(sentences([use('/a', { sent: true }), use('/b'), use('/c')], given)).toEqual([
    'The site itself does not stop requests to ads.example before any choice: sent from /a and in the HTML of 2 more pages.',
    'Die Website selbst verhindert Anfragen an ads.example vor einer Auswahl nicht: von /a gesendet und im HTML von 2 weiteren Seiten enthalten.',
  ]);
  expect(sentences([use('/b')], given)).toEqual([
    'The site itself does not stop requests to ads.example before any choice: in the HTML of /b.',
    'Die Website selbst verhindert Anfragen an ads.example vor einer Auswahl nicht: im HTML von /b enthalten.',
  ]);
});
