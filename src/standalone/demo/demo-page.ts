import { SHOP_HEAD, SHOP_STYLE, SHOP_WINDOW } from './demo-shop.js';

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
