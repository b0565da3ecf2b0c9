/** A small shop on which the banner is shown: its style and content. It loads nothing. */

/** A cup, a pot, a tin and a whisk, drawn in the text's colors. */
const PICTURES = {
  tin: '<rect x="34" y="30" width="52" height="62" rx="6"/><rect x="30" y="22" width="60" height="14" rx="5" class="deep"/><rect x="44" y="52" width="32" height="22" rx="3" class="paper"/>',
  pot: '<path d="M28 62a32 26 0 0 1 64 0v10a18 18 0 0 1-18 18H46a18 18 0 0 1-18-18z"/><path d="M92 58l14-10 4 6-18 22z"/><path d="M28 60H18a10 10 0 0 0 0 22h11" class="line"/><circle cx="60" cy="32" r="6" class="deep"/>',
  cup: '<path d="M32 50h52v14a26 26 0 0 1-52 0z"/><path d="M84 54h8a9 9 0 0 1 0 20h-10" class="line"/><rect x="28" y="94" width="60" height="6" rx="3" class="deep"/><path d="M48 40c-6-8 6-10 0-18M66 40c-6-8 6-10 0-18" class="line"/>',
  whisk:
    '<path d="M50 20h20v26H50z" class="deep"/><path d="M50 46h20l10 46H40z"/><path d="M54 48l-4 42M60 48v42M66 48l4 42" class="line paper"/>',
};

const PRODUCTS: [picture: keyof typeof PICTURES, name: string, about: string, price: string][] = [
  ['tin', 'First flush Darjeeling', '100 g · floral, light', '€14.50'],
  ['pot', 'Cast-iron teapot', '0.8 l · with strainer', '€62.00'],
  ['cup', 'Stoneware cup', '250 ml · glazed by hand', '€18.00'],
  ['whisk', 'Matcha set', 'Whisk, bowl, and 30 g', '€39.00'],
];

/** The style of the shop. @public Loaded by scripts/screenshots.mjs, like the two below. */
export const SHOP_STYLE = `
  :root { color-scheme: light dark; --text: #26221c; --page: #f6f3ec; --card: #fffdf8; --line: #e4dccd; --quiet: #665d50; --accent: #2f5d46;
    --tint-1: #dfe8d8; --tint-2: #efdcc6; --tint-3: #d9e3ea; --tint-4: #e6dfee; --ink: #46604f; --deep: #2f4438; --paper: #fffdf8; }
  @media (prefers-color-scheme: dark) { :root { --text: #ece7dd; --page: #171613; --card: #201f1b; --line: #38352d; --quiet: #aea695; --accent: #3d7558;
    --tint-1: #2b352b; --tint-2: #3a3026; --tint-3: #29323a; --tint-4: #332e3c; --ink: #8fb39d; --deep: #5e8a70; --paper: #201f1b; } }
  * { box-sizing: border-box; }
  body { font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: var(--page); margin: 0; }
  main, .shop-head { max-width: 68rem; margin: 0 auto; padding: 0 1.5rem; }
  main { padding-bottom: 18rem; }
  .shop-head { display: flex; flex-wrap: wrap; gap: .5rem 1.75rem; align-items: baseline; padding-block: 1.4rem; }
  .shop-name { font: 700 1.35rem/1 Georgia, 'Times New Roman', serif; letter-spacing: -.01em; margin-right: auto; }
  .shop-head span:not(.shop-name) { color: var(--quiet); font-size: .95rem; }
  .hero { padding: 3rem 0 2.5rem; border-top: 1px solid var(--line); }
  .hero h1 { font: 700 clamp(2rem, 5vw, 3.1rem)/1.08 Georgia, 'Times New Roman', serif; letter-spacing: -.015em; margin: 0 0 .8rem; max-width: 16em; }
  .hero p { color: var(--quiet); font-size: 1.1rem; margin: 0; max-width: 36em; }
  .goods { display: grid; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)); gap: 1.25rem; padding: 0; margin: 0; list-style: none; }
  .goods h2 { font: 600 1rem/1.3 system-ui, sans-serif; margin: .8rem 0 .1rem; }
  .goods p { color: var(--quiet); font-size: .92rem; margin: 0; }
  .goods b { display: block; margin-top: .3rem; font-weight: 600; font-variant-numeric: tabular-nums; }
  .goods svg { display: block; width: 100%; height: 12rem; border-radius: .4rem; background: var(--tint-1); fill: var(--ink); }
  .goods li:nth-child(2) svg { background: var(--tint-2); } .goods li:nth-child(3) svg { background: var(--tint-3); } .goods li:nth-child(4) svg { background: var(--tint-4); }
  .goods .deep { fill: var(--deep); } .goods .paper { fill: var(--paper); } .goods .line { fill: none; stroke: var(--deep); stroke-width: 4; stroke-linecap: round; }
  .goods .line.paper { stroke: var(--paper); stroke-width: 2; }
`;

const product = ([picture, name, about, price]: (typeof PRODUCTS)[number]): string =>
  `<li><svg viewBox="0 0 120 120" aria-hidden="true">${PICTURES[picture]}</svg><h2>${name}</h2><p>${about}</p><b>${price}</b></li>`;

/** The head of the shop. @public */
export const SHOP_HEAD = `<header class="shop-head"><span class="shop-name">Kettle &amp; Leaf</span><span>Tea</span><span>Teaware</span><span>Gifts</span><span>Cart (2)</span></header>`;

/** First part of its `<main>`. @public */
export const SHOP_WINDOW = `<div class="hero"><h1>Good tea, and everything to brew it.</h1>
<p>Leaves from small gardens, teapots and cups that last. Delivered within two days.</p></div>
<ul class="goods">${PRODUCTS.map(product).join('')}</ul>`;

/** Where the demo's banner links to. */
export const DEMO_POLICY = '/demo#privacy';

/** The demo's only page. `{projectId}` is filled in when it is served. */
export const DEMO_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Kettle &amp; Leaf – a shop with a consent banner</title>
<script src="/cdn/{projectId}/loader.js"></script>
<link rel="icon" href="data:,">
<style>${SHOP_STYLE}
  :root { --none: #efeadf; --stored: #dcefe2; --refused: #fbe3df; --kept: #fbeecd; --yes: #1b6f3e; --no: #665d50; }
  @media (prefers-color-scheme: dark) { :root { --none: #2a2822; --stored: #17402a; --refused: #4b2320; --kept: #46391a; --yes: #6fd49b; --no: #aea695; } }
  .behind { margin-top: 3.5rem; padding-top: 2rem; border-top: 1px solid var(--line); }
  .behind > h2 { font: 700 1.5rem/1.2 Georgia, 'Times New Roman', serif; margin: 0 0 .4rem; }
  .behind h3 { margin: 0 0 .75rem; font-size: 1.05rem; }
  .behind > p { max-width: 44em; }
  main section section { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.25rem; margin-top: 1.25rem; overflow-x: auto; }
  button#change { font: inherit; font-weight: 550; padding: .55rem 1.1rem; border: 0; border-radius: .4rem; background: var(--accent); color: #fff; cursor: pointer; }
  button#change:hover { filter: brightness(.9); }
  #status, #why { margin: 0 0 .75rem; padding: .5rem .8rem; border-radius: .4rem; background: var(--none); }
  #status[data-state="stored"] { background: var(--stored); }
  #status[data-state="refused"] { background: var(--refused); }
  #status[data-state="kept"], #why { background: var(--kept); }
  table { border-collapse: collapse; width: 100%; font-size: .9rem; }
  th { text-align: left; color: var(--quiet); font-weight: 600; }
  td, th { padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
  code { font: .85em ui-monospace, monospace; }
  #meta { display: block; white-space: pre-wrap; overflow-wrap: anywhere; }
  .empty { color: var(--quiet); margin: 0; }
  #privacy { margin-top: 2rem; color: var(--quiet); }
  .yes { color: var(--yes); } .no { color: var(--no); }
</style>
</head>
<body data-project-id="{projectId}">
${SHOP_HEAD}
<main>
${SHOP_WINDOW}
<section class="behind">
<h2>Behind the scenes</h2>
<p>This shop has the consent banner. Each choice is stored as a consent record and forwarded to the demo receiver in the background, so the banner never waits for the receiver.</p>
<p><button id="change" type="button">Change my choice</button></p>
<p><a href="/demo/shop">Open a misbehaving shop</a> that ignores its banner, and scan it on the dashboard’s Scans page.</p>
<section>
<h3>Your last choice</h3>
<p id="status" role="status" data-state="none">No choice yet.</p>
<p>Configuration reported by the loader: <code id="meta">not loaded yet</code></p>
</section>
<section>
<h3>Received by the demo receiver</h3>
<p id="why" hidden>This project’s plan doesn’t include forwarding, so your choice is stored but not sent. To turn it on, call <code>POST /v1/projects/{projectId}/tier/simulate</code> with <code>{"tier":"pro"}</code>, or restart the service.</p>
<p id="nothing" class="empty">Nothing received yet.</p>
<table id="table" hidden>
<thead><tr><th>Received</th><th>Response</th><th>Action</th><th>Analytics</th><th>Marketing</th><th>Preferences</th><th>Record</th></tr></thead>
<tbody id="received"></tbody>
</table>
</section>
</section>
<section id="privacy">
<h3>Privacy policy</h3>
<p>This demo shop sells nothing. It stores your choice and, if you allow it, counts your visit.</p>
</section>
</main>
<script type="module" src="/demo/demo.js"></script>
</body>
</html>
`;

/** Shows the banner's events in the page, and the records that the receiver got. */
export const DEMO_SCRIPT = `
const CATEGORIES = ['analytics', 'marketing', 'preferences'];
const status = document.getElementById('status');
const { serviceConsent } = window;

function show(state, text, facts) {
  status.textContent = text;
  for (const name of Object.keys(status.dataset)) delete status.dataset[name];
  Object.assign(status.dataset, { state, ...facts });
}

document.addEventListener('serviceConsent:choice', ({ detail: { id, stored, status: httpStatus, detail, tookMs } }) => {
  const facts = { consentId: id ?? '', tookMs, httpStatus };
  if (stored) show('stored', 'Stored as ' + id + ' in ' + tookMs + ' ms.', facts);
  else if (httpStatus === 0) show('kept', 'Saved in this browser. It is sent when you leave the page or open the next one.', facts);
  else show('refused', 'Rejected: ' + detail, facts);
});

function cell(row, content, className = '') {
  const element = row.insertCell();
  element.className = className;
  element.append(content);
}

function renderRow({ receivedAt, status, body }) {
  const row = document.createElement('tr');
  cell(row, new Date(receivedAt).toLocaleTimeString());
  cell(row, status ? String(status) : 'no response');
  cell(row, String(body.action ?? ''));
  for (const category of CATEGORIES) cell(row, body[category] ? 'yes' : 'no', body[category] ? 'yes' : 'no');
  cell(row, Object.assign(document.createElement('code'), { textContent: String(body.id ?? ''), title: JSON.stringify(body) }));
  return row;
}

async function showReceived() {
  // The service may be restarting; the next poll tries again.
  const records = await fetch('/demo/received').then((response) => response.json(), () => null);
  if (!records) return;
  document.getElementById('nothing').hidden = records.length > 0;
  document.getElementById('table').hidden = records.length === 0;
  document.getElementById('received').replaceChildren(...records.map(renderRow));
}

// Before the configuration has loaded: a click then opens the second layer as soon as it has.
document.getElementById('change').addEventListener('click', () => serviceConsent.open());
void showReceived();
setInterval(showReceived, 1000);
const meta = await serviceConsent.ready;
document.getElementById('meta').textContent = JSON.stringify(meta, null, 2);
document.getElementById('why').hidden = meta.features.consentForwarding === true;
`;
