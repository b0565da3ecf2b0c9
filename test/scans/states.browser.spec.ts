import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultText } from '../../src/modules/publishing/domain/default-texts.js';
import type { Json } from '../support/people/json.js';
import { HEADLESS_SHELL } from '../support/programs/browser.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { until } from '../support/until.js';

const SCAN_DEADLINE_MS = 840_000;
/** Far longer than a worker takes to evaluate a scan. */
const NO_FINDINGS_MS = 20_000;
const KLARO = readFileSync('test/extras/node_modules/klaro/dist/klaro.js');

interface Credentials {
  projectId: string;
  apiKeys: Record<'owner', string>;
}

type Site = 'misbehaving' | 'clean' | 'klaro' | 'words' | 'silent';

let service: LoneService;
let credentials: Credentials;
const sites = new Map<Site, Server>();

const PAGES: Record<Site, (request: IncomingMessage, response: ServerResponse) => void> = {
  misbehaving,
  clean,
  klaro,
  words,
  silent,
};

beforeAll(async () => {
  for (const [name, serve] of Object.entries(PAGES)) {
    const server = createServer((request, response) => {
      // Verifies the host, and shows no banner.
      if (request.url?.endsWith('/loader.js')) response.end();
      else serve(request, response);
    });
    await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    sites.set(name as Site, server);
  }
  service = await startLoneService({
    SCANNER_ALLOWED_PRIVATE_TARGETS: [...sites.keys()].map((name) => new URL(at(name)).host).join(','),
    SCANNER_CHROMIUM: HEADLESS_SHELL,
    SCANNER_DWELL_SECONDS: '2',
    SCANNER_STATE_PAGES: '2',
  });
  credentials = JSON.parse(
    readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8'),
  ) as Credentials;
  await until(
    'the scanner is running',
    async () => ((await call('GET', '/scans'))['allowance'] as Json)['scannerAvailable'],
  );
  // Everything that the clean site uses is declared.
  await call('PUT', '/configuration', {
    banner: { enabled: true },
    texts: [defaultText('en'), defaultText('de')],
    services: [
      {
        name: 'Statistics',
        provider: 'This shop',
        category: 'analytics',
        cookies: [{ name: 'stat_id', duration: '1 month', purpose: 'Distinguishes visits.' }],
      },
      {
        name: 'Basket',
        provider: 'This shop',
        category: 'necessary',
        cookies: [{ name: 'basket', duration: 'Session', purpose: 'Remembers the cart.' }],
      },
    ],
  });
});
afterAll(async () => {
  await service?.stop();
  for (const site of sites.values()) {
    site.closeAllConnections();
    site.close();
  }
});

function at(site: Site, path = '/'): string {
  const server = sites.get(site);
  if (!server) throw new Error(`There is no site ${site}.`);
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}${path}`;
}

function html(response: ServerResponse, head: string, body = ''): void {
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.end(`<!doctype html><html lang="en"><head>${head}</head><body>${body}</body></html>`);
}

function loader(): string {
  return `<script src="${service.baseUrl}/cdn/${credentials.projectId}/loader.js"></script>`;
}

/** For sites with a banner of another vendor, or none. */
function emptyLoader(): string {
  return `<script src="/cdn/${credentials.projectId}/loader.js"></script>`;
}

/** Our banner is on it, and its scripts care about nothing that a visitor chooses. */
function misbehaving({ url, headers }: IncomingMessage, response: ServerResponse): void {
  if (url === '/tracker.js') {
    response.setHeader('content-type', 'text/javascript');
    response.end(`
      document.cookie = '_ga=GA1.1.1.' + Math.random() + '; max-age=63072000';
      document.addEventListener('serviceConsent:choice', () => { document.cookie = '_fbp=fb.1.' + Math.random() + '; max-age=7776000'; });
      addEventListener('scroll', () => localStorage.setItem('scrolled', 'yes'), { once: true });
      const canvas = document.createElement('canvas');
      canvas.getContext('2d').fillText('device', 10, 10);
      canvas.toDataURL();
      indexedDB.open('visits');
      window.dataLayer = window.dataLayer || [];
      dataLayer.push({ event: 'tracked', secret: 'value-of-a-visitor' });
    `);
    return;
  }
  if (url?.startsWith('/collect')) {
    response.setHeader('set-cookie', 'collected=1; max-age=600; HttpOnly');
    return void response.writeHead(204).end();
  }
  response.setHeader('set-cookie', `signal=${headers['sec-gpc'] ?? 'none'}; max-age=600`);
  html(
    response,
    `${loader()}<script src="/tracker.js"></script>`,
    `<a href="/second">Second</a><div style="height: 3000px"></div>
     <script>navigator.sendBeacon('/collect?visitor=secret-of-a-visitor', 'body-of-a-visitor')</script>`,
  );
}

/** Our banner is on it, and what needs consent waits for it. */
function clean({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === '/statistics.js') {
    response.setHeader('content-type', 'text/javascript');
    return void response.end(`document.cookie = 'stat_id=' + Math.random() + '; max-age=2592000';`);
  }
  response.setHeader('set-cookie', 'basket=empty');
  html(
    response,
    `${loader()}<script type="text/plain" data-category="analytics" data-src="/statistics.js"></script>`,
    '<a href="/second">Second</a>',
  );
}

/** A banner of another vendor that autoconsent knows. */
function klaro({ url }: IncomingMessage, response: ServerResponse): void {
  if (url === '/klaro.js') {
    response.setHeader('content-type', 'text/javascript');
    return void response.end(KLARO);
  }
  html(
    response,
    `${emptyLoader()}<script>var klaroConfig = { version: 1, lang: 'en', acceptAll: true, mustConsent: false, cookieName: 'klaro',
       services: [{ name: 'statistics', title: 'Statistics', purposes: ['analytics'] }] };</script>
     <script src="/klaro.js"></script>
     <script type="text/plain" data-type="application/javascript" data-name="statistics">
       document.cookie = '_pk_id=1; max-age=600';
     </script>`,
    '<a href="#" onclick="klaro.show(); return false">Cookie settings</a>',
  );
}

/** A hand-written banner, in German and in a shadow root, that can be opened again. */
function words(_request: IncomingMessage, response: ServerResponse): void {
  html(
    response,
    emptyLoader(),
    `<p>Ein Laden</p><a href="#" onclick="ask(); return false">Cookie-Einstellungen</a><div id="host"></div>
    <script>
      const shadow = host.attachShadow({ mode: 'open' });
      const close = (choice) => { localStorage.setItem('answer', choice); shadow.innerHTML = ''; if (choice === 'yes') document.cookie = 'AnalyticsSyncHistory=1; max-age=600'; };
      window.answer = close;
      function ask() {
        shadow.innerHTML = '<div role="dialog" style="position: fixed; bottom: 0"><p>Wir nutzen Cookies.</p><button id="y">Alle akzeptieren</button> <button id="n">Alle ablehnen</button></div>';
        shadow.getElementById('y').onclick = () => close('yes');
        shadow.getElementById('n').onclick = () => close('no');
      }
      if (!localStorage.getItem('answer')) ask();
    </script>`,
  );
}

/** No banner, and a cookie for two years. */
function silent(_request: IncomingMessage, response: ServerResponse): void {
  html(
    response,
    `${emptyLoader()}<script>document.cookie = '_ga=1; max-age=63072000';</script>`,
    '<h1>No banner</h1>',
  );
}

async function call<T = Json>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`${service.baseUrl}/v1/projects/${credentials.projectId}${path}`, {
    method,
    headers: { authorization: `Bearer ${credentials.apiKeys.owner}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function scan(site: Site, request: Json = {}): Promise<Json> {
  const { id } = await call('POST', '/scans', { urls: [at(site)], ...request });
  return until(
    `the scan of ${site} has ended`,
    async () => {
      const scanned = await call('GET', `/scans/${String(id)}`);
      return ['queued', 'running'].includes(String(scanned['status'])) ? null : scanned;
    },
    SCAN_DEADLINE_MS,
  );
}

async function itemsOf({ id }: Json): Promise<Json[]> {
  const { items } = await call<{ items: Json[] }>('GET', `/scans/${String(id)}/items?limit=200`);
  return items;
}

/** Kinds of findings with the names of their items. Nothing says that a scan without findings was evaluated. */
async function findingsOf({ id }: Json, deadlineMs = SCAN_DEADLINE_MS): Promise<string[]> {
  const found = async (): Promise<Json[]> =>
    (await call<{ items: Json[] }>('GET', `/scans/${String(id)}/findings?limit=100`)).items;
  await until('the scan has findings', async () => (await found()).length > 0, deadlineMs).catch(() => null);
  return (await found()).map(({ kind, name }) => `${String(kind)} ${String(name)}`);
}

const statesOf = (scanned: Json): Json[] =>
  (scanned['states'] as Json[]).map(({ state, status, reason, driver }) => ({
    state,
    status,
    driver,
    reason: (reason as Json | null)?.['code'] ?? null,
  }));

describe('a site that ignores its banner', () => {
  let scanned: Json;
  let items: Json[];

  it('is tested in five states by clicking our banner', async () => {
    scanned = await scan('misbehaving');
    items = await itemsOf(scanned);
    expect(scanned).toMatchObject({ status: 'completed', reason: null });
    expect(statesOf(scanned)).toEqual([
      { state: 'before', status: 'tested', reason: null, driver: null },
      { state: 'reject', status: 'tested', reason: null, driver: 'own' },
      { state: 'accept', status: 'tested', reason: null, driver: 'own' },
      { state: 'withdraw', status: 'tested', reason: null, driver: 'own' },
      { state: 'signal', status: 'tested', reason: null, driver: null },
    ]);
    for (const state of scanned['states'] as Json[]) expect(state['pages']).toEqual([1, 2]);
  });

  it('yields findings of every state', async () => {
    const found = await findingsOf(scanned);
    expect(found).toEqual(
      expect.arrayContaining([
        'before_consent _ga',
        'after_refusal _ga',
        'after_withdrawal _ga',
        'ignores_gpc _ga',
        'after_refusal _fbp',
        'after_withdrawal _fbp',
        'fingerprinting canvas',
      ]),
    );
    // Only a choice sets it.
    expect(found).not.toContain('before_consent _fbp');
  });

  it('names the script behind cookies, storages, databases, beacons and calls', () => {
    const seen = (state: string, kind: string, name: string): Json | undefined =>
      items.find((item) => item['state'] === state && item['kind'] === kind && item['name'] === name);
    const tracker = `${new URL(at('misbehaving')).host}/tracker.js`;
    expect(seen('reject', 'cookie', '_fbp')).toMatchObject({ setBy: 'script', initiator: tracker });
    expect(seen('reject', 'cookie', 'collected')).toMatchObject({ setBy: 'response', httpOnly: true });
    expect(seen('withdraw', 'cookie', '_ga')).toMatchObject({ sent: true });
    expect(seen('before', 'local_storage', 'scrolled')).toMatchObject({ initiator: tracker });
    expect(seen('signal', 'indexed_db', 'visits')).toBeDefined();
    expect(seen('accept', 'request', '/collect?visitor')).toMatchObject({
      type: 'ping',
      method: 'POST',
      bodyBytes: 17,
    });
    expect(seen('before', 'fingerprint', 'canvas.toDataURL')).toMatchObject({
      type: 'canvas',
      initiator: tracker,
    });
  });

  it('lists the events of consent mode in order', () => {
    const events = items.filter(
      ({ state, kind, page }) => state === 'accept' && kind === 'consent_event' && page === 2,
    );
    const granted = events.find(
      ({ name, consent }) =>
        name === 'consent update' && (consent as Json)['analytics_storage'] === 'granted',
    );
    const denied = events.find(({ name }) => name === 'consent default');
    expect(Number(denied?.['order'])).toBeLessThan(Number(granted?.['order']));
    expect(events.map(({ name }) => name)).toContain('tracked');
  });

  it('gets Global Privacy Control in the signal state alone', () => {
    const told = items
      .filter(({ name }) => name === 'signal')
      .map(({ state, valueLength }) => [state, valueLength]);
    const lengths = new Map(told.map(([state, length]) => [state, length]));
    expect(Object.fromEntries(lengths)).toEqual({ before: 4, reject: 4, accept: 4, withdraw: 4, signal: 1 });
  });

  it('has a screenshot of each state, and no values of visitors', async () => {
    for (const { state, hasScreenshot } of scanned['states'] as Json[]) {
      expect(hasScreenshot).toBe(true);
      const response = await fetch(
        `${service.baseUrl}/v1/projects/${credentials.projectId}/scans/${String(scanned['id'])}/states/${String(state)}/screenshot`,
        { headers: { authorization: `Bearer ${credentials.apiKeys.owner}` } },
      );
      expect(response.headers.get('content-type')).toBe('image/jpeg');
      expect([...new Uint8Array(await response.arrayBuffer()).slice(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    }
    expect(JSON.stringify(items)).not.toMatch(/of-a-visitor/);
  });

  it('creates no records', async () => {
    const { items: records } = await call<{ items: Json[] }>('GET', '/consents?limit=200');
    expect(records.filter(({ hostname }) => hostname === '127.0.0.1')).toEqual([]);
  });
});

describe('a site that waits for consent', () => {
  it('yields no finding in any state', async () => {
    const scanned = await scan('clean');
    expect(statesOf(scanned).map(({ status, reason }) => [status, reason])).toEqual(
      Array.from({ length: 5 }, () => ['tested', null]),
    );
    const items = await itemsOf(scanned);
    const withStatistics = items.filter(({ name }) => name === 'stat_id').map(({ state }) => state);
    expect([...new Set(withStatistics)]).toEqual(['accept']);
    expect(await findingsOf(scanned, NO_FINDINGS_MS)).toEqual([]);
  });
});

describe('banners of others', () => {
  it('are driven by the rules of autoconsent', async () => {
    const scanned = await scan('klaro');
    expect(statesOf(scanned)).toMatchObject([
      { state: 'before', status: 'tested' },
      { state: 'reject', status: 'tested', driver: 'autoconsent:Klaro' },
      { state: 'accept', status: 'tested', driver: 'autoconsent:Klaro' },
      { state: 'withdraw', status: 'tested' },
      { state: 'signal', status: 'tested' },
    ]);
    const states = (await itemsOf(scanned)).filter(({ name }) => name === '_pk_id').map(({ state }) => state);
    expect(states).toContain('accept');
    expect(states).not.toContain('reject');
  });

  it('are driven by the words on their buttons', async () => {
    const scanned = await scan('words');
    expect(statesOf(scanned)).toMatchObject([
      { state: 'before', status: 'tested' },
      { state: 'reject', status: 'tested', driver: 'heuristic' },
      { state: 'accept', status: 'tested', driver: 'heuristic' },
      { state: 'withdraw', status: 'tested', driver: 'heuristic' },
      { state: 'signal', status: 'tested' },
    ]);
    const items = await itemsOf(scanned);
    const states = items.filter(({ name }) => name === 'AnalyticsSyncHistory').map(({ state }) => state);
    expect(states).toEqual(['accept', 'withdraw']);
  });

  it('are not guessed: without a banner, choices are not tested', async () => {
    const scanned = await scan('silent', { skipStates: ['accept'] });
    expect(statesOf(scanned)).toMatchObject([
      { state: 'before', status: 'tested' },
      { state: 'reject', status: 'not_tested', reason: 'no_banner' },
      { state: 'accept', status: 'skipped', reason: 'owner_skipped' },
      { state: 'withdraw', status: 'skipped', reason: 'owner_skipped' },
      { state: 'signal', status: 'tested' },
    ]);
    expect(await findingsOf(scanned)).toEqual(
      expect.arrayContaining(['before_consent _ga', 'ignores_gpc _ga']),
    );
  });
});
