import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { blockingPolicy } from '../../src/modules/publishing/domain/blocking.js';
import {
  type BlockingRule,
  DEFAULT_CONFIGURATION,
} from '../../src/modules/publishing/domain/configuration.js';
import { blockerScript } from '../../src/modules/publishing/infrastructure/loader-script.js';
import { newId } from '../../src/platform/identity/ids.js';
import { launchBrowser } from '../support/programs/browser.js';
import { until } from '../support/until.js';

/** Ways to reach a host that a rule blocks. In each, `BAD` is replaced by its address. */
type Vectors = Record<string, { script?: string; body?: string; head?: string }>;

const RULE: BlockingRule = { host: 'bad-tracker.com', path: null, category: 'marketing' };
const BLOCKER = blockerScript(newId(), {
  ...DEFAULT_CONFIGURATION,
  blocking: { enabled: true, rules: [RULE] },
});
const POLICY = blockingPolicy([RULE], 'https://consent.example.com');
const ELEMENT = (tag: string, attribute: string): string =>
  `document.body.append(Object.assign(document.createElement('${tag}'), { ${attribute}: 'BAD' }))`;

/** The request waits for consent and is sent then. */
const WAIT: Vectors = {
  'a host with a trailing dot': {
    script: `document.body.append(Object.assign(new Image(), { src: 'DOT' }))`,
  },
  'a script of createContextualFragment': {
    script: `document.body.append(document.createRange().createContextualFragment('<script src="BAD"></scr' + 'ipt>'))`,
  },
  'an image of createContextualFragment': {
    script: `document.body.append(document.createRange().createContextualFragment('<img src="BAD">'))`,
  },
  'importNode of a template': {
    body: `<template><script src="BAD"></script></template>`,
    script: `document.body.append(document.importNode(document.querySelector('template').content, true))`,
  },
  'cloneNode of a template': {
    body: `<template><img src="BAD"></template>`,
    script: `document.body.append(document.querySelector('template').content.cloneNode(true))`,
  },
  'a script of SVG by setAttributeNS': {
    script: `const svg = document.createElementNS('http://www.w3.org/2000/svg', 'script');
      svg.setAttributeNS('http://www.w3.org/1999/xlink', 'xlink:href', 'BAD');
      document.body.append(document.createElementNS('http://www.w3.org/2000/svg', 'svg'));
      document.body.lastChild.append(svg)`,
  },
  'an image of SVG': {
    script: `document.body.innerHTML += '<svg><image href="BAD" width="9" height="9"/></svg>'`,
  },
  'document.write of a script': { script: `document.write('<script src="BAD"></scr' + 'ipt>')` },
  setAttributeNS: {
    script: `const image = new Image(); image.setAttributeNS(null, 'src', 'BAD'); document.body.append(image)`,
  },
  'an image of innerHTML': { script: `document.body.innerHTML = '<img src="BAD">'` },
  'an image of innerHTML outside the page': {
    script: `(window.kept = document.createElement('div')).innerHTML = '<img src="BAD">'`,
  },
  'an image of outerHTML': {
    body: '<p></p>',
    script: `document.querySelector('p').outerHTML = '<img src="BAD">'`,
  },
  'an image of insertAdjacentHTML': {
    script: `document.body.insertAdjacentHTML('beforeend', '<img src="BAD">')`,
  },
  'an image of setHTMLUnsafe': { script: `document.body.setHTMLUnsafe('<img src="BAD">')` },
  'an image in a shadow root': {
    script: `document.body.attachShadow({ mode: 'closed' }).innerHTML = '<img src="BAD">'`,
  },
  'a frame of innerHTML': { script: `document.body.innerHTML = '<p><iframe src="BAD"></iframe>'` },
  'a frame of outerHTML': {
    body: '<p></p>',
    script: `document.querySelector('p').outerHTML = '<iframe src="BAD"></iframe>'`,
  },
  'a frame of insertAdjacentHTML': {
    body: '<p></p>',
    script: `document.querySelector('p').insertAdjacentHTML('beforebegin', '<iframe src="BAD"></iframe>')`,
  },
  'a frame in a shadow root': {
    script: `document.body.attachShadow({ mode: 'closed' }).innerHTML = '<iframe src="BAD"></iframe>'`,
  },
  'an input of type image': { script: `document.body.innerHTML = '<input type="image" src="BAD">'` },
  'a video': { script: ELEMENT('video', `preload: 'auto', src`) },
  'an audio': { script: ELEMENT('audio', `preload: 'auto', src`) },
  'a poster': { script: ELEMENT('video', 'poster') },
  'an object': { script: ELEMENT('object', 'data') },
  'an embed': { script: ELEMENT('embed', 'src') },
  'an inline module that imports': { body: `<script type="module">import 'BAD';</script>` },
  'an image in the window of an empty frame': {
    body: '<iframe></iframe>',
    script: `const { contentWindow } = document.querySelector('iframe');
      contentWindow.document.body.append(Object.assign(new contentWindow.Image(), { src: 'BAD' }))`,
  },
  'an image of a script in srcdoc': {
    script: `const frame = document.createElement('iframe');
      frame.srcdoc = '<!doctype html><p><script>new Image().src = "BAD"</scr' + 'ipt>'; document.body.append(frame)`,
  },
};

/** The request fails as if the network did, and is not repeated. */
const FAIL: Vectors = {
  'fetch of a host with a trailing dot': { script: `fetch('DOT').catch(() => {})` },
  'fetch of an empty frame': {
    script: `document.body.append(document.createElement('iframe'));
      document.querySelector('iframe').contentWindow.fetch('BAD').catch(() => {})`,
  },
  'fetch of an empty frame by its index': {
    script: `document.body.append(document.createElement('iframe')); frames[0].fetch('BAD').catch(() => {})`,
  },
  'fetch of a frame of innerHTML': {
    script: `document.body.innerHTML = '<iframe></iframe>'; frames[0].fetch('BAD').catch(() => {})`,
  },
  'fetch of a frame in a frame': {
    script: `document.body.append(document.createElement('iframe'));
      frames[0].document.body.append(frames[0].document.createElement('iframe'));
      frames[0][0].fetch('BAD').catch(() => {})`,
  },
  'sendBeacon of an empty frame': {
    script: `document.body.append(document.createElement('iframe')); frames[0].navigator.sendBeacon('BAD', 'x')`,
  },
  'fetch in srcdoc': { body: `<iframe srcdoc="<script>fetch('BAD').catch(() => {})</script>"></iframe>` },
  'fetch in a frame of blob:': {
    script: `const frame = document.createElement('iframe');
      frame.src = URL.createObjectURL(new Blob(['<script>fetch("BAD").catch(() => {})</scr' + 'ipt>'], { type: 'text/html' }));
      document.body.append(frame)`,
  },
  'fetch in a frame of javascript:': {
    script: `const frame = document.createElement('iframe');
      frame.src = 'javascript:fetch("BAD").catch(() => {})'; document.body.append(frame)`,
  },
  fetchLater: { script: `window.fetchLater?.('BAD', { activateAfter: 0 })` },
  EventSource: { script: `new EventSource('BAD').onerror = ({ target }) => target.close()` },
  WebSocket: { script: `new WebSocket('BAD'.replace('http', 'ws'))` },
  'a form that a script submits': {
    body: '<iframe name="into"></iframe><form action="BAD" target="into"></form>',
    script: 'document.forms[0].submit()',
  },
  'a form that a person submits': {
    body: '<iframe name="into"></iframe><form target="into"><button formaction="BAD"></button></form>',
    script: `document.querySelector('button').click()`,
  },
  ping: { body: '<a href="#here" ping="BAD">x</a>', script: `document.querySelector('a').click()` },
};

/** A page script cannot reach these; docs/scans.md lists them. */
const ARRIVE: Vectors = {
  'import() of an inline script': { script: `import('BAD').catch(() => {})` },
  'an external module that imports': { body: '<script type="module" src="/module.js?BAD"></script>' },
  '@import of a style sheet': { body: `<style>@import 'BAD';</style>` },
  'a background of a style sheet': { body: `<style>body { background: url('BAD') }</style>` },
  'a font': { script: `new FontFace('x', 'url(BAD)').load().catch(() => {})` },
  'prefetch in markup': { head: `<link rel="prefetch" href="BAD">` },
  'a worker': {
    script: `new Worker(URL.createObjectURL(new Blob(['fetch("BAD", { mode: "no-cors" })'])))`,
  },
  'markup in a frame of blob:': {
    script: `const frame = document.createElement('iframe');
      frame.src = URL.createObjectURL(new Blob(['<img src="BAD">'], { type: 'text/html' }));
      document.body.append(frame)`,
  },
  'a script of SVG in markup': { body: `<svg><script href="BAD"></script></svg>` },
  'markup in srcdoc': { body: `<iframe srcdoc="<p><img src='BAD'>"></iframe>` },
  'new Audio with an address': { script: `new Audio('BAD').preload = 'auto'` },
  'markup before the tag': { head: '<script src="BAD"></script>' },
};

let browser: Browser;
let context: BrowserContext;
let server: Server;
let port: number;
/** `host/path` of every request. */
let arrived: string[] = [];
/** Part of the blocked address: a late request of an earlier page is not counted. */
let attempts = 0;
let html = '';
/** Sent with the page; empty: none. */
let policy = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    const url = request.url ?? '';
    arrived.push(`${request.headers.host?.split(':')[0]}${url}`);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('cache-control', 'no-store');
    const [type, body] =
      url === '/'
        ? ['text/html', html]
        : url === '/blocker.js'
          ? ['text/javascript', BLOCKER]
          : url.startsWith('/module.js')
            ? ['text/javascript', `import '${url.slice('/module.js?'.length)}'`]
            : ['text/javascript', ''];
    response.setHeader('content-type', type);
    if (url === '/' && policy !== '') response.setHeader('content-security-policy', policy);
    response.end(body);
  });
  server.on('upgrade', ({ headers, url }, socket) => {
    arrived.push(`${headers.host?.split(':')[0]}${url}`);
    socket.destroy();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  ({ port } = server.address() as AddressInfo);
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
});
beforeEach(async () => {
  context = await browser.newContext();
  arrived = [];
  policy = '';
});
afterEach(() => context.close());

/** Opens a page that tries one way, until its network is quiet. */
async function attempt(
  { script = '', body = '', head = '' }: Vectors[string],
  tag = '<script src="/blocker.js"></script>',
): Promise<Page> {
  attempts++;
  const filled = (text: string): string =>
    text
      .replaceAll('BAD', `http://cdn.bad-tracker.com:${port}/reached-${attempts}`)
      .replaceAll('DOT', `http://bad-tracker.com.:${port}/reached-${attempts}`);
  html = filled(`<!doctype html><html><head>${head}${tag}</head><body>
    ${body}<script>${script}</script><img src="/last" alt=""></body></html>`);
  const opened = await context.newPage();
  await opened.goto(`http://www.example.com:${port}/`, { waitUntil: 'networkidle' });
  // The page's own requests pass.
  expect(arrived).toContain('www.example.com/last');
  return opened;
}
const reached = (): string[] =>
  arrived.filter((request) =>
    new RegExp(`^(cdn\\.)?bad-tracker\\.com\\.?/reached-${attempts}\\b`).test(request),
  );

describe('waits for consent', () => {
  it.each(Object.keys(WAIT))('%s', async (name) => {
    const opened = await attempt(WAIT[name] ?? {});
    expect(reached()).toEqual([]);
    await opened.evaluate(() => {
      const { dataLayer } = globalThis as never as { dataLayer: unknown[] };
      dataLayer.push({ 0: 'consent', 1: 'update', 2: { ad_storage: 'granted' } });
      dataLayer.push({ event: 'service_consent_update' });
    });
    await until('requested', () => Promise.resolve(reached().length > 0));
  });
});

describe('HTML with frames', () => {
  const FRAME = '<iframe title="x"></iframe>';
  const HTMLS = [
    `text${FRAME}<p>a<p>b`,
    `<tr><td>${FRAME}</td></tr>`,
    `<option>${FRAME}`,
    `<script>ran.push('script')</script>${FRAME}`,
    `<x-element>${FRAME}</x-element>`,
    `<template>${FRAME}</template>${FRAME}`,
    `<form></form>${FRAME}`,
  ];

  /** Each kind of HTML in each place: its result, and the scripts that run. */
  const COLLECT = `(() => {
    window.ran = [];
    customElements.define('x-element', class extends HTMLElement {
      connectedCallback() { ran.push('connected with ' + this.childNodes.length); }
    });
    const htmls = ${JSON.stringify(HTMLS)};
    const found = [];
    for (const place of ['div', 'table', 'tr', 'select', 'textarea', 'form', 'template', 'x-element'])
      for (const html of htmls)
        for (const position of ['innerHTML', 'outerHTML', 'beforebegin', 'afterbegin']) {
          const element = document.createElement(place);
          document.body.replaceChildren(element);
          if (position.endsWith('HTML')) element[position] = html;
          else element.insertAdjacentHTML(position, html);
          found.push(document.body.innerHTML + element.innerHTML);
        }
    const inert = document.implementation.createHTMLDocument().body;
    inert.innerHTML = '<img src="data:," onerror="ran.push(1)">' + htmls.join('');
    return new Promise((wake) => setTimeout(wake, 100)).then(() => [...found, inert.innerHTML, ran.join()]);
  })()`;
  const results = async (tag?: string): Promise<unknown> => (await attempt({}, tag)).evaluate(COLLECT);

  it('is the same with the blocker and without it', async () => {
    expect(await results()).toEqual(await results(''));
  });
});

describe('fails before consent', () => {
  it.each(Object.keys(FAIL))('%s', async (name) => {
    await attempt(FAIL[name] ?? {});
    expect(reached()).toEqual([]);
  });
});

describe('a page script cannot stop', () => {
  it.each(Object.keys(ARRIVE))('%s', async (name) => {
    // The blocker sometimes wins the race against a frame's parser, so a page is loaded again.
    await until('requested', async () => {
      await attempt(ARRIVE[name] ?? {});
      for (let waits = 0; waits < 50 && reached().length === 0; waits++) await sleep(100);
      return reached().length > 0;
    });
  });
});

describe('a Content-Security-Policy of the rules, without the blocker', () => {
  const all: Vectors = { ...WAIT, ...FAIL, ...ARRIVE };

  it.each(Object.keys(all))('stops before consent: %s', async (name) => {
    policy = POLICY.beforeConsent;
    await attempt(all[name] ?? {}, '');
    expect(reached()).toEqual([]);
  });

  it('allows the hosts of a granted category', async () => {
    // A source without a port is about the default ports.
    const granted = POLICY.byCategory.marketing.map((source) => `${source}:${port}`).join(' ');
    policy = POLICY.beforeConsent.replaceAll(`'self'`, `'self' ${granted}`);
    await attempt({ body: '<script src="BAD"></script>' }, '');
    expect(reached()).not.toEqual([]);
  });
});
