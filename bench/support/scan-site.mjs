import { createServer } from 'node:http';

/** About what pages of shops have: a style sheet, a script and pictures. */
const TEXT = '<p>Shoes, bags and coats for every kind of weather.</p>\n'.repeat(300);
const FILES = ['style.css', 'app.js', 'one.gif', 'two.gif', 'three.gif'];
const GIF = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');

/**
 * A site with our banner whose trackers wait for consent.
 * @param {import('./scope.mjs').Scope} scope
 * @param {string} loaderTag
 */
export async function startScanSite(scope, loaderTag) {
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/robots.txt' || path === '/sitemap.xml') return void response.writeHead(404).end();
    if (path.endsWith('.css')) return void send(response, 'text/css', 'p { margin: 1em }');
    if (path.endsWith('.gif')) return void send(response, 'image/gif', GIF);
    if (path === '/tracker.js')
      return void send(response, 'text/javascript', `document.cookie = '_ga=GA1.1.1.1; max-age=63072000'`);
    if (path.endsWith('.js')) return void send(response, 'text/javascript', 'document.title += "."');
    send(response, 'text/html', pageOf(loaderTag));
  });
  const host = await listenOnLoopback(server, scope);
  return { host, url: (/** @type {string} */ path) => `http://${host}${path}` };
}

/** @param {string} loaderTag */
function pageOf(loaderTag) {
  const [style, script, ...pictures] = FILES;
  return `<!doctype html><html lang="en"><head><title>Shop</title>${loaderTag}
    <script type="text/plain" data-category="analytics" data-src="/tracker.js"></script>
    <link rel="stylesheet" href="/${style}"><script src="/${script}"></script></head>
    <body>${pictures.map((name) => `<img src="/${name}">`).join('')}${TEXT}</body></html>`;
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {string} type
 * @param {string | Buffer} content
 */
function send(response, type, content) {
  response.setHeader('content-type', type);
  response.end(content);
}

/**
 * Listens on a free port of loopback until the scope ends; returns `host:port`.
 * @param {import('node:http').Server} server
 * @param {import('./scope.mjs').Scope} scope
 */
export async function listenOnLoopback(server, scope) {
  await new Promise((ready) => server.listen(0, '127.0.0.1', () => ready(null)));
  scope.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}
