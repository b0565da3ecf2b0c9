/** The demo's only page. `{projectId}` is filled in when it is served. */
export const DEMO_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A shop with a consent banner</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/demo/banner.css">
<style>
  body { font: 16px/1.5 system-ui, sans-serif; color: #1d2733; background: #f3f5f7; margin: 0; }
  main { max-width: 62rem; margin: 0 auto; padding: 2rem 1rem 16rem; }
  h1 { margin: 0 0 .25rem; font-size: 1.7rem; }
  h2 { margin: 0 0 .75rem; font-size: 1.1rem; }
  main section { background: #fff; border: 1px solid #dde3e9; border-radius: .6rem; padding: 1rem 1.25rem; margin-top: 1.25rem; overflow-x: auto; }
  button#change { font: inherit; padding: .45rem .9rem; border: 1px solid #30507a; border-radius: .4rem; background: #30507a; color: #fff; cursor: pointer; }
  button#change:hover { background: #243d5e; }
  #status { margin: 0; padding: .5rem .8rem; border-radius: .4rem; background: #eef1f4; }
  #status[data-state="stored"] { background: #e2f4e8; }
  #status[data-state="refused"], #status[data-state="lost"] { background: #fbe6e4; }
  #status[data-state="beacon"] { background: #fdf3d9; }
  table { border-collapse: collapse; width: 100%; font-size: .9rem; }
  th { text-align: left; color: #5b6875; font-weight: 600; }
  td, th { padding: .35rem .9rem .35rem 0; border-bottom: 1px solid #eceff2; vertical-align: top; white-space: nowrap; }
  code { font: .85em ui-monospace, monospace; }
  .empty { color: #5b6875; margin: 0; }
  .yes { color: #1b7f45; } .no { color: #8a949e; }
</style>
</head>
<body data-project-id="{projectId}">
<main>
<h1>A shop with a consent banner</h1>
<p>Choose in the banner. The choice is stored as a consent record and, in the background, sent to the demo receiver: what you wait for is the first, never the second.</p>
<p><button id="change" type="button">Change my choice</button></p>
<section>
<h2>Your last choice</h2>
<p id="status" role="status" data-state="none">No choice yet. The banner is waiting for you.</p>
</section>
<section>
<h2>What the receiver got</h2>
<p id="nothing" class="empty">Nothing yet.</p>
<table id="table" hidden>
<thead><tr><th>Received</th><th>Answered</th><th>Action</th><th>Analytics</th><th>Marketing</th><th>Preferences</th><th>Record</th></tr></thead>
<tbody id="received"></tbody>
</table>
</section>
</main>
<script type="module" src="/demo/demo.js"></script>
</body>
</html>
`;

/** Wires the banner to the ingest: fetch with keepalive, and a beacon where fetch cannot. */
export const DEMO_SCRIPT = `
import * as CookieConsent from '/demo/banner.js';

const CATEGORIES = ['analytics', 'marketing', 'preferences'];
const ingestUrl = '/v1/projects/' + document.body.dataset.projectId + '/consents';
const status = document.getElementById('status');

/** One id for each decision, so that a choice that is sent twice is stored once. */
function uuidV7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.floor(Date.now() / 0x10000));
  view.setUint16(4, Date.now() % 0x10000);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function actionOf(accepted) {
  if (accepted.length === 3) return 'accept_all';
  return accepted.length === 0 ? 'reject_all' : 'custom';
}

function show(state, text, facts = {}) {
  status.textContent = text;
  for (const name of Object.keys(status.dataset)) delete status.dataset[name];
  Object.assign(status.dataset, { state, ...facts });
}

async function send() {
  const accepted = CATEGORIES.filter((category) => CookieConsent.acceptedCategory(category));
  const id = uuidV7();
  const body = JSON.stringify({
    id,
    ...Object.fromEntries(CATEGORIES.map((category) => [category, accepted.includes(category)])),
    action: actionOf(accepted),
    hostname: location.hostname,
    language: document.documentElement.lang,
  });
  show('sending', 'Sending your choice ...');
  const startedAt = performance.now();
  try {
    const response = await fetch(ingestUrl, {
      method: 'POST', keepalive: true, headers: { 'content-type': 'application/json' }, body,
    });
    const receipt = await response.json();
    const tookMs = Math.round(performance.now() - startedAt);
    if (response.ok) show('stored', 'Stored as ' + receipt.id + ' in ' + tookMs + ' ms.', { consentId: receipt.id, tookMs });
    else show('refused', 'Refused: ' + receipt.detail, { httpStatus: response.status });
  } catch {
    // The same id: where fetch did get through after all, the beacon is a repeat and changes nothing.
    if (navigator.sendBeacon(ingestUrl, body)) show('beacon', 'Sent as a beacon, which tells no answer: ' + id + '.', { consentId: id });
    else show('lost', 'Your choice could not be sent. Is the service running?');
  }
}

function cell(row, content, className = '') {
  const element = row.insertCell();
  element.className = className;
  element.append(content);
}

function rowOf({ receivedAt, status, body }) {
  const row = document.createElement('tr');
  cell(row, new Date(receivedAt).toLocaleTimeString());
  cell(row, status ? String(status) : 'no answer');
  cell(row, String(body.action ?? ''));
  for (const category of CATEGORIES) cell(row, body[category] ? 'yes' : 'no', body[category] ? 'yes' : 'no');
  cell(row, Object.assign(document.createElement('code'), { textContent: String(body.id ?? ''), title: JSON.stringify(body) }));
  return row;
}

async function showReceived() {
  // The service may be starting anew; the next turn asks again.
  const records = await fetch('/demo/received').then((response) => response.json(), () => null);
  if (!records) return;
  document.getElementById('nothing').hidden = records.length > 0;
  document.getElementById('table').hidden = records.length === 0;
  document.getElementById('received').replaceChildren(...records.map(rowOf));
}

CookieConsent.run({
  // The banner would hide from a browser that a program drives, and with it from the test of this page.
  hideFromBots: false,
  onFirstConsent: send,
  onChange: send,
  categories: { necessary: { enabled: true, readOnly: true }, analytics: {}, marketing: {}, preferences: {} },
  language: {
    default: 'en',
    translations: {
      en: {
        consentModal: {
          title: 'Your choice',
          description: 'May we use cookies beyond the necessary ones?',
          acceptAllBtn: 'Accept all', acceptNecessaryBtn: 'Reject all', showPreferencesBtn: 'Choose',
        },
        preferencesModal: {
          title: 'Your choice in detail',
          acceptAllBtn: 'Accept all', acceptNecessaryBtn: 'Reject all', savePreferencesBtn: 'Save my choice',
          closeIconLabel: 'Close',
          sections: [
            { title: 'Necessary', description: 'The shop does not work without these.', linkedCategory: 'necessary' },
            { title: 'Analytics', description: 'They count visits and pages.', linkedCategory: 'analytics' },
            { title: 'Marketing', description: 'They choose the advertisements.', linkedCategory: 'marketing' },
            { title: 'Preferences', description: 'They remember language and currency.', linkedCategory: 'preferences' },
          ],
        },
      },
    },
  },
});

document.getElementById('change').addEventListener('click', () => CookieConsent.showPreferences());
void showReceived();
setInterval(showReceived, 1000);
`;
