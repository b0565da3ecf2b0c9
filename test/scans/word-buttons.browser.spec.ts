import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { makeChoice } from '../../src/scanner/consent/make-choice.js';
import { launchBrowser } from '../support/programs/browser.js';

let browser: Browser;
let site: Server;
let origin: string;
let context: BrowserContext;
let page: Page;
/** The body of the page. */
let html = '';

beforeAll(async () => {
  site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html><body><h1>A shop</h1><p>We bake and sell tea cakes.</p>${html}
      <script>
        document.addEventListener('click', ({ target }) => {
          if (target.tagName !== 'BUTTON') return;
          const { does } = target.dataset;
          document.title = 'clicked ' + target.textContent;
          if (does !== 'nothing') document.cookie = 'choice=' + target.textContent.replace(/\\W/g, '');
          if (does !== 'nothing' && does !== 'stay') target.closest('.box').remove();
        });
      </script></body></html>`);
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
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(() => context.close());

const LAYER = 'class="box" style="position: fixed; bottom: 0; left: 0; padding: 20px; background: #eee"';
const layer = (content: string): string => `<div ${LAYER}>${content}</div>`;
const accept = async (body: string): Promise<object> => {
  html = body;
  await page.goto(origin);
  return makeChoice(page, 'accept', async () => {});
};
const MADE = { kind: 'made', driver: 'heuristic', reason: null };
const NO_BANNER = { kind: 'failed', reason: 'no_banner' };

describe('a control of consent', () => {
  it.each([
    ['terms', '<p>Please read our terms of service and privacy policy.</p><button>I agree</button>'],
    [
      'terms with links',
      '<p>By continuing you accept our <a href="/t">Terms</a> and <a href="/c">Cookie Policy</a>.</p><button>I agree</button>',
    ],
    [
      'a newsletter',
      '<p>Get our newsletter with offers. We respect your privacy.</p><button>Accept</button><button>No thanks</button>',
    ],
    [
      'AGB',
      '<p>Bitte stimmen Sie unseren AGB und der Datenschutzerklärung zu.</p><button>Zustimmen</button>',
    ],
    ['an age gate', '<p>Are you 18 years of age? Privacy matters to us.</p><button>Agree</button>'],
    ['notifications', '<p>Recevoir nos notifications et notre infolettre ?</p><button>Accepter</button>'],
    ['regulamin', '<p>Zaakceptuj regulamin i politykę prywatności sklepu.</p><button>Akceptuję</button>'],
    [
      'terms inside a layer about cookies',
      '<p>We use cookies.</p><section><p>Our terms of service have changed.</p><button>I agree</button></section>',
    ],
  ])('is none in a box about %s', async (_about, content) => {
    expect(await accept(layer(content))).toMatchObject({ kind: 'failed' });
    expect(await page.title()).toBe('');
    expect(await context.cookies()).toEqual([]);
  });

  it.each([
    ['en', '<p>We use cookies to measure visits.</p><button>Accept</button>'],
    ['en, a row of buttons', '<p>We use cookies.</p><form><button type="button">Accept all</button></form>'],
    ['en, without cookies', '<p>We value your privacy and ask for your consent.</p><button>I agree</button>'],
    ['en, with terms', '<p>We use cookies. See our terms and cookie policy.</p><button>Accept</button>'],
    ['de', '<p>Wir nutzen Tracking zur Analyse.</p><button>Alle akzeptieren</button>'],
    ['fr', '<p>Nous respectons votre vie privée : traceurs de mesure.</p><button>Tout accepter</button>'],
    ['es', '<p>Tratamos datos personales para medir visitas.</p><button>Aceptar todo</button>'],
    ['it', '<p>Usiamo strumenti di tracciamento.</p><button>Accetta tutto</button>'],
    ['nl', '<p>Wij verwerken persoonsgegevens voor statistieken.</p><button>Alles accepteren</button>'],
    ['pl', '<p>Używamy plików ciasteczka do statystyk.</p><button>Akceptuję</button>'],
    ['pt', '<p>Tratamos dados pessoais para medir visitas.</p><button>Aceitar tudo</button>'],
  ])('is clicked in a banner: %s', async (_language, content) => {
    expect(await accept(layer(content))).toEqual(MADE);
    expect(await page.title()).toMatch(/^clicked /);
  });

  it('is that of the banner where a box of terms is open beside it', async () => {
    const terms = layer('<p>Please accept our terms of service.</p><button>Accept all</button>');
    const banner = layer('<p>We use cookies.</p><button>Accept</button>').replace('bottom', 'top');
    expect(await accept(terms + banner)).toEqual(MADE);
    expect(await page.title()).toBe('clicked Accept');
  });

  it('is none in a text of the page about cookies', async () => {
    const article = '<article class="box"><p>How cookies work, a text.</p><button>Accept</button></article>';
    expect(await accept(article)).toEqual(NO_BANNER);
    expect(await page.title()).toBe('');
  });
});

describe('the effect of a click', () => {
  it('is a changed storage, where the banner stays', async () => {
    const banner = layer('<p>We use cookies.</p><button data-does="stay">Accept</button>');
    expect(await accept(banner)).toEqual(MADE);
  });

  it('is missing where neither the banner nor storage nor consent signals change', async () => {
    const banner = layer('<p>We use cookies.</p><button data-does="nothing">Accept</button>');
    expect(await accept(banner)).toEqual({ kind: 'failed', reason: 'click_failed' });
    expect(await page.title()).toBe('clicked Accept');
  });

  it('is missing where the API of a banner does nothing', async () => {
    const api = '<script>window.orejime = { manager: { acceptAll() {}, declineAll() {} } };</script>';
    expect(await accept(api)).toEqual({ kind: 'failed', reason: 'click_failed' });
  });

  it('is a consent signal, such as an update in the data layer', async () => {
    const api = `<script>window.dataLayer = []; window.orejime = { manager: { declineAll() {},
      acceptAll() { dataLayer.push({ 0: 'consent', 1: 'update', 2: { ad_storage: 'granted' }, length: 3 }); } } };</script>`;
    expect(await accept(api)).toEqual({ kind: 'made', driver: 'api:Orejime', reason: null });
  });
});
