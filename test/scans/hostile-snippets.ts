import type { ServerResponse } from 'node:http';

/** Addresses that browsers, Playwright and Node read differently, or not at all. */
export const BROKEN = [
  'http://a%20b/x',
  'http://a%00b/',
  'http://[::1/',
  'https://%/',
  'http://999.1.1.1/',
  'ws://a%20b/',
  'blob:x',
  'data:,',
  '//',
];

/** What pages do to the handlers of requests, frames, dialogs, downloads, consoles, storages and data layers. */
export const SNIPPETS: readonly ((address: string) => string)[] = [
  (address) => `new Image().src = '${address}'`,
  (address) => `fetch('${address}').catch(() => {})`,
  (address) => `navigator.sendBeacon('${address}', 'x')`,
  (address) => `new WebSocket('${address}')`,
  (address) => `new EventSource('${address}')`,
  (address) => `new Worker('${address}')`,
  (address) => `open('${address}')`,
  (address) => `history.pushState(null, '', '${address}')`,
  (address) =>
    `Object.assign(document.createElement('a'), { href: '${address}', ping: '${address}' }).click()`,
  (address) => `document.body.append(Object.assign(document.createElement('iframe'), { src: '${address}' }))`,
  (address) => `document.head.append(Object.assign(document.createElement('script'), { src: '${address}' }))`,
  (address) =>
    `document.head.append(Object.assign(document.createElement('link'), { rel: 'canonical', href: '${address}' }))`,
  () => `__playwright__binding__('not json')`,
  () => `globalThis['__playwright__binding__controller__'].deliverBindingResult({})`,
  () => `console.log({ get x() { throw 1; } }, Symbol('x'), new Proxy({}, { get() { throw 1; } }))`,
  () => `console.debug('["cookie"'); console.debug('%s%o%c', {}, null)`,
  () => `alert('x'); confirm('\\u0000'); prompt('\\ud800')`,
  () => `localStorage['\\u0000\\ud800'] = '\\ud800'; sessionStorage.setItem('\\u0000', '\\u0000')`,
  () => `indexedDB.open('\\u0000\\ud800')`,
  () =>
    `document.cookie = '=nameless'; document.cookie = '\\ud800=x'; cookieStore?.set('', 'x').catch(() => {})`,
  () => `window.dataLayer = [new Proxy({}, { get() { throw 1; } }), null, ['consent', Symbol('x'), 1], 1n]`,
  () => `window.dataLayer = new Proxy([], { get() { throw 1; } })`,
  () => `Object.prototype.toJSON = () => { throw 1; }`,
  () => `Array.prototype.map = Array.prototype.slice = () => { throw 1; }`,
  () => `window.Promise = class {}; window.JSON = null; window.Map = window.Set = null`,
  () => `document.querySelectorAll = () => [{ get href() { throw 1; } }]`,
  () => `Object.defineProperty(window, 'localStorage', { get() { throw 1; } })`,
  () =>
    `Object.assign(document.createElement('a'), { href: 'data:text/plain,x', download: '../../\\u0000' }).click()`,
  () =>
    `{ const frame = document.createElement('iframe'); document.body.append(frame); frame.contentDocument.cookie = 'a=1'; frame.remove(); }`,
  () =>
    `document.body.append(Object.assign(document.createElement('iframe'), { srcdoc: '<script>fetch("http://a%20b/")</' + 'script>' }))`,
  () =>
    `new Image().src = '/odd?status=999'; fetch('/odd?cookie').catch(() => {}); fetch('/odd?redirect').catch(() => {})`,
  () => `window.close(); window.stop()`,
  (address) => `new SharedWorker('${address}'); new SharedWorker('data:,close()')`,
  (address) =>
    `new Worker('data:text/javascript,fetch("${address}").catch(() => {}); console.log(Symbol()); throw 1;')`,
  (address) => `navigator.serviceWorker.register('${address}').catch(() => {})`,
  () => `navigator.serviceWorker.register({ toString() { throw 1; } }).catch(() => {})`,
  () =>
    `{ const opened = open('about:blank'); opened.document.cookie = 'a=1'; opened.alert('x'); opened.close(); }`,
  () =>
    `Object.assign(document.createElement('a'), { href: '/odd?download', download: '' }).click(); location.hash = '\\ud800'`,
  () => `addEventListener('beforeunload', (event) => event.preventDefault()); print()`,
  () => `new WebSocket('ws://' + location.host + '/odd?socket')`,
  () => `document.append(document.createElement('p')); document.documentElement.remove()`,
];

/** Separate scripts, so that one that throws does not stop the others. */
export function scriptsOf(scripts: readonly string[]): string {
  return scripts.map((script) => `<script>try { ${script} } catch {}</script>`).join('\n');
}

/** Responses that browsers accept and Node would not write, by the query of `/odd`. */
const ODD: Readonly<Record<string, string>> = {
  '?status=999': 'HTTP/1.1 099 Odd\r\n\r\n',
  '?cookie':
    'HTTP/1.1 200 OK\r\nSet-Cookie: =\r\nSet-Cookie: \x80=\xff; Domain=%\r\nContent-Length: 0\r\n\r\n',
  '?redirect': 'HTTP/1.1 302 Found\r\nLocation: http://a%20b/\r\nContent-Length: 0\r\n\r\n',
  '?download':
    'HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename="../\xff"\r\nContent-Length: 1\r\n\r\nx',
  '?socket':
    'HTTP/1.1 101 Odd\r\nUpgrade: websocket\r\nSet-Cookie: =\xff\r\nSec-WebSocket-Accept: \xff\r\n\r\n',
};

/** Whether the address is one of the odd responses, which is then sent. */
export function respondOddly({ pathname, search }: URL, response: ServerResponse): boolean {
  if (pathname !== '/odd') return false;
  response.socket?.end(ODD[search] ?? '', 'latin1');
  return true;
}
