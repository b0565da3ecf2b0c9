import express, { type Router } from 'express';

/** Below the demo site. */
export const MISBEHAVING_SHOP = '/demo/shop';

/** The page loads a picture from this machine's other loopback name, which browsers treat as another site. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' http://127.0.0.1:* http://localhost:*";
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const PRODUCTS = ['Desk lamp', 'Wall clock', 'Tea towel', 'Bread knife', 'Fruit bowl', 'Door mat'] as const;

/**
 * A shop with the problems that a scan should find: it sets cookies by response headers and by
 * script, fills the browser's storages and requests another site, all before the visitor chooses
 * anything. Development only.
 */
export function misbehavingShop(projectId: () => string): Router {
  const router = express.Router();
  router.use((_request, response, next) => {
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    next();
  });
  router.get('/', (request, response) => {
    response.cookie('shop_session', 'a1b2c3d4e5f6', {
      httpOnly: true,
      sameSite: 'lax',
      path: MISBEHAVING_SHOP,
    });
    response.cookie('campaign', 'spring', { maxAge: 90 * 24 * 60 * 60 * 1000, sameSite: 'lax' });
    const products = PRODUCTS.map(
      (name, index) => `<li><a href="${MISBEHAVING_SHOP}/product/${index + 1}">${name}</a></li>`,
    ).join('');
    const content = `<p>This shop ignores its banner. It sets cookies and calls another site before you choose anything.
Scan it on the dashboard's Scans page to see what a scan reports.</p><ul>${products}</ul>`;
    response.type('html').send(pageOf('A misbehaving shop', content, projectId(), request.headers.host));
  });
  router.get('/product/:number', (request, response) => {
    const name = PRODUCTS[Number(request.params.number) - 1];
    if (!name) return void response.status(404).type('html').send('<!doctype html><h1>Not found</h1>');
    response.type('html').send(pageOf(name, '<p>Sold out.</p>', projectId(), request.headers.host));
  });
  router.get('/cart', (request, response) => {
    response.cookie('cart_id', '0042', { sameSite: 'lax', path: MISBEHAVING_SHOP });
    response
      .type('html')
      .send(pageOf('Your cart', '<p>Your cart is empty.</p>', projectId(), request.headers.host));
  });
  router.get('/shop.js', (_request, response) => {
    response.type('text/javascript').send(SCRIPT);
  });
  router.get('/pixel.gif', (_request, response) => {
    response.type('image/gif').send(PIXEL);
  });
  router.post('/collect', (_request, response) => {
    response.status(204).end();
  });
  return router;
}

/** Accesses without the visitor's consent. */
const SCRIPT = `
document.cookie = '_visits=' + Math.random().toString(36).slice(2) + '; max-age=31536000; path=/demo/shop';
document.cookie = '_ads_id=' + Math.random().toString(36).slice(2) + '; max-age=7776000; path=/demo/shop';
localStorage.setItem('shop_last_seen', location.pathname);
sessionStorage.setItem('shop_test_group', 'b');
navigator.sendBeacon('/demo/shop/collect?visitor=42', 'seen');
`;

function pageOf(title: string, content: string, projectId: string, host = ''): string {
  const { hostname, port } = new URL(`http://${host || '127.0.0.1'}`);
  const other = `${hostname === 'localhost' ? '127.0.0.1' : 'localhost'}${port ? `:${port}` : ''}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<script src="/cdn/${projectId}/loader.js"></script>
<script src="${MISBEHAVING_SHOP}/shop.js" defer></script>
<link rel="icon" href="data:,">
<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:40rem;padding:0 1rem 12rem}</style>
</head>
<body>
<nav><a href="${MISBEHAVING_SHOP}">Shop</a> · <a href="${MISBEHAVING_SHOP}/cart">Cart</a></nav>
<h1>${title}</h1>
${content}
<img src="http://${other}${MISBEHAVING_SHOP}/pixel.gif?page=${encodeURIComponent(title)}" width="1" height="1" alt="">
</body>
</html>
`;
}
