/** Every way in which the page tries to reach a host; each adds its name to the path. */
export const TECHNIQUES = [
  'img',
  'script',
  'style',
  'css-import',
  'css-image',
  'font',
  'video',
  'object',
  'embed',
  'svg-image',
  'iframe',
  'sandboxed-iframe',
  'meta-refresh',
  'form',
  'fetch',
  'xhr',
  'beacon',
  'event-source',
  'websocket',
  'prefetch',
  'preload',
  'modulepreload',
  'worker',
  'shared-worker',
  'ping',
  'redirect-img',
  'redirect-fetch',
  'redirect-iframe',
  'redirect-prefetch',
];

/** Features that the scanner's browser disables. */
export const REFUSED_TECHNIQUES = ['service-worker', 'popup', 'prerender', 'webtransport'];

/** What sends datagrams: no server is reached, but a packet would leave beside the proxy. */
export const DATAGRAM_TECHNIQUES = ['dns-prefetch', 'webrtc'];

/** A page that tries all of them for each target, e.g. `10.0.0.7:80`, and then sets its title to `done`. */
export function attemptsPage(targets: readonly string[], { waitMs }: { waitMs: number }): string {
  return `<!doctype html><title>trying</title><body><script>
const targets = ${JSON.stringify(targets)};
const add = (tag, given, parent = document.body) => {
  const element = Object.assign(document.createElement(tag), given);
  parent.append(element);
  return element;
};
const link = (rel, href, given = {}) => add('link', { rel, href, ...given }, document.head);
const quietly = (action) => { try { Promise.resolve(action()).catch(() => {}); } catch {} };
const redirect = (to) => '/redirect?to=' + encodeURIComponent(to);
for (const target of targets) {
  const scheme = target.endsWith(':443') ? 'https' : 'http';
  const to = (technique) => scheme + '://' + target + '/reach/' + technique;
  quietly(() => add('img', { src: to('img') }));
  quietly(() => add('script', { src: to('script') }));
  quietly(() => link('stylesheet', to('style')));
  quietly(() => add('style', { textContent: '@import "' + to('css-import') + '";' }));
  quietly(() => add('div', { style: 'width:9px;height:9px;background:url(' + to('css-image') + ')' }));
  quietly(() => new FontFace('f', 'url(' + to('font') + ')').load());
  quietly(() => add('video', { src: to('video'), preload: 'auto', muted: true }).load());
  quietly(() => add('object', { data: to('object'), type: 'text/html' }));
  quietly(() => add('embed', { src: to('embed'), type: 'text/html' }));
  quietly(() => add('div', { innerHTML: '<svg><image href="' + to('svg-image') + '" width="9" height="9"/></svg>' }));
  quietly(() => add('iframe', { src: to('iframe') }));
  quietly(() => add('iframe', { sandbox: 'allow-scripts', src: to('sandboxed-iframe') }));
  quietly(() => add('iframe', { srcdoc: '<meta http-equiv="refresh" content="0;url=' + to('meta-refresh') + '">' }));
  quietly(() => {
    const name = 'form ' + target;
    add('iframe', { name });
    add('form', { action: to('form'), method: 'post', target: name }).submit();
  });
  quietly(() => fetch(to('fetch'), { mode: 'no-cors' }));
  quietly(() => { const request = new XMLHttpRequest(); request.open('POST', to('xhr')); request.send('x'); });
  quietly(() => navigator.sendBeacon(to('beacon'), 'x'));
  quietly(() => new EventSource(to('event-source')));
  quietly(() => new WebSocket(to('websocket').replace('http', 'ws')));
  quietly(() => link('prefetch', to('prefetch')));
  quietly(() => link('preload', to('preload'), { as: 'image' }));
  quietly(() => link('modulepreload', to('modulepreload')));
  quietly(() => link('preconnect', to('')));
  // Only names, and one of them is in no other attempt.
  quietly(() => link('dns-prefetch', to('').replace(/^https?:\\/\\/(?=[a-z])/, '//dns-prefetch.')));
  quietly(() => new Worker('/worker.js').postMessage(to('worker')));
  quietly(() => { const worker = new SharedWorker('/shared-worker.js'); worker.port.postMessage(to('shared-worker')); });
  quietly(() => add('img', { src: redirect(to('redirect-img')) }));
  quietly(() => fetch(redirect(to('redirect-fetch')), { mode: 'no-cors' }));
  quietly(() => add('iframe', { src: redirect(to('redirect-iframe')) }));
  quietly(() => link('prefetch', redirect(to('redirect-prefetch'))));
  quietly(() => navigator.serviceWorker.register('/service-worker.js?' + encodeURIComponent(to('service-worker'))));
  quietly(() => add('a', { href: '#', ping: to('ping'), textContent: '.' }).click());
  quietly(() => open(to('popup')));
  quietly(() => add('script', { type: 'speculationrules', textContent: JSON.stringify({ prerender: [{ urls: [to('prerender')], eagerness: 'immediate' }] }) }));
  quietly(() => new WebTransport('https://' + target + '/reach/webtransport').ready);
  quietly(() => {
    const host = target.replace(/:\\d+$/, '');
    const servers = ['stun:' + host + ':3478', 'stun:' + target, 'turn:' + host + ':3478?transport=udp', 'turn:' + target + '?transport=tcp'];
    const peer = new RTCPeerConnection({ iceServers: servers.map((urls) => ({ urls, username: 'u', credential: 'c' })) });
    peer.createDataChannel('x');
    return peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  });
}
setTimeout(() => { document.title = 'done'; }, ${waitMs});
</script>`;
}

/** The scripts of the page's workers. */
export const WORKER_SCRIPTS: Readonly<Record<string, string>> = {
  '/worker.js': `onmessage = ({ data }) => fetch(data, { mode: 'no-cors' }).catch(() => {});`,
  '/shared-worker.js': `onconnect = ({ ports: [port] }) => { port.onmessage = ({ data }) => fetch(data, { mode: 'no-cors' }).catch(() => {}); };`,
  '/service-worker.js': `fetch(decodeURIComponent(location.search.slice(1)), { mode: 'no-cors' }).catch(() => {});`,
};
