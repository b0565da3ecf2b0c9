import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import type { Choice } from '../../src/scanner/consent/choice.js';
import { makeChoice } from '../../src/scanner/consent/make-choice.js';
import { launchBrowser } from '../support/programs/browser.js';
import { EXTRAS } from '../support/programs/extras.js';
import { until } from '../support/until.js';

const TYPES: Record<string, string> = { '.js': 'text/javascript', '.css': 'text/css' };
const PORSCHE = '/vendor/@porscheofficial/cookie-consent-banner/dist/cookie-consent-banner';

/** Pages that ask with the banners of others, for one service `stat`; no link opens them again. */
const PAGES: Record<string, string> = {
  tarteaucitron: `<script>var tarteaucitronForceLanguage = 'en';</script>
    <script src="/vendor/tarteaucitronjs/tarteaucitron.js"></script>
    <script>
      tarteaucitron.init({ hashtag: '#cookies', orientation: 'bottom', showAlertSmall: false, showIcon: false });
      tarteaucitron.services.stat = { key: 'stat', type: 'analytic', name: 'stat', needConsent: true, cookies: [], js() {}, fallback() {} };
      (tarteaucitron.job = tarteaucitron.job || []).push('stat');
    </script>`,
  osano: `<link rel="stylesheet" href="/vendor/cookieconsent/build/cookieconsent.min.css" />
    <script src="/vendor/cookieconsent/build/cookieconsent.min.js"></script>
    <script>addEventListener('load', () => cookieconsent.initialise({ type: 'opt-in', revokable: true }));</script>`,
  orejime: `<link rel="stylesheet" href="/vendor/orejime/dist/orejime-standard.css" />
    <script>window.orejimeConfig = { privacyPolicyUrl: '/privacy', purposes: [{ id: 'stat', title: 'Statistics', cookies: [] }] };</script>
    <script src="/vendor/orejime/dist/orejime-standard-en.js"></script>`,
  porsche: `<script type="module" src="${PORSCHE}/cookie-consent-banner.esm.js"></script>
    <cookie-consent-banner btn-label-accept-and-continue="Agree and continue" btn-label-select-all-and-continue="Select all and continue"
      btn-label-only-essential-and-continue="Continue with technically required cookies only">We use cookies.</cookie-consent-banner>
    <script>
      document.querySelector('cookie-consent-banner').availableCategories = [
        { key: 'technically_required', label: 'Necessary', description: '', isMandatory: true },
        { key: 'stat', label: 'Statistics', description: '' },
      ];
    </script>`,
};

let browser: Browser;
let site: Server;
let origin: string;

beforeAll(async () => {
  site = createServer(({ url = '' }, response) => {
    // tarteaucitron loads its parts with a query.
    const path = url.replace(/\?.*$/, '');
    const file = /^\/vendor\/([\w@./-]+)$/.exec(path)?.[1];
    try {
      response.setHeader('content-type', TYPES[extname(path)] ?? 'text/html');
      const page = `<!doctype html><html lang="en"><body><h1>A shop</h1>${PAGES[path.slice(1)] ?? ''}</body></html>`;
      response.end(file === undefined ? page : readFileSync(join(EXTRAS, file)));
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((ready) => site.listen(0, '127.0.0.1', ready));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  site?.closeAllConnections();
  site?.close();
});

const consentIn = async (page: Page): Promise<string> =>
  (await page.context().cookies())
    .map(({ name, value }) => `${name}=${decodeURIComponent(value)}`)
    .join('; ');

it.each([
  ['tarteaucitron', 'tarteaucitron=!stat=true', 'tarteaucitron=!stat=false'],
  ['osano', 'cookieconsent_status=allow', 'cookieconsent_status=deny'],
  ['orejime', 'eu-consent={"stat":true}', 'eu-consent={"stat":false}'],
  [
    'porsche',
    'cookies_accepted_categories=technically_required,stat',
    'cookies_accepted_categories=technically_required',
  ],
])('the banner %s is refused, accepted and withdrawn', async (name, granted, refused) => {
  const choose = async (page: Page, choice: Choice, expected: string): Promise<void> => {
    expect(await makeChoice(page, choice, async () => {})).toMatchObject({ kind: 'made', reason: null });
    await until(`${choice} in ${name}`, async () => (await consentIn(page)) === expected);
  };
  for (const choices of [
    [['reject', refused]],
    [
      ['accept', granted],
      ['withdraw', refused],
    ],
  ] as const) {
    const context = await browser.newContext();
    const page = await context.newPage();
    for (const [choice, expected] of choices) {
      await page.goto(`${origin}/${name}`);
      await choose(page, choice, expected);
    }
    await context.close();
  }
});
