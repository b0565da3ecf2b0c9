/** The demo's only page. `{projectId}` is filled in when it is served. */
export const DEMO_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A shop with a consent banner</title>
<link rel="stylesheet" href="/demo/banner.css">
<style>
  body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
  td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top; }
  code { font-size: .85rem; word-break: break-all; }
</style>
</head>
<body data-project-id="{projectId}">
<h1>A shop with a consent banner</h1>
<p>Choose in the banner. The choice is stored as a consent record and, in the background, sent to the demo receiver.</p>
<p><button id="change" type="button">Change my choice</button></p>
<h2>This visit</h2>
<p id="status" role="status">No choice yet.</p>
<h2>What the receiver got</h2>
<table><thead><tr><th>received</th><th>answered</th><th>record</th></tr></thead><tbody id="received"></tbody></table>
<script type="module" src="/demo/demo.js"></script>
</body>
</html>
`;

/** Wires the banner to the ingest: fetch with keepalive, and a beacon where fetch cannot. */
export const DEMO_SCRIPT = `
import * as CookieConsent from '/demo/banner.js';

const projectId = document.body.dataset.projectId;
const ingestUrl = '/v1/projects/' + projectId + '/consents';
const status = document.getElementById('status');

/** One id for each decision, so that a choice that is sent twice is stored once. */
function uuidV7() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  new DataView(bytes.buffer).setUint32(0, Math.floor(Date.now() / 0x10000));
  new DataView(bytes.buffer).setUint16(4, Date.now() % 0x10000);
  bytes[6] = (bytes[6] & 0x0f) | 0x70;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

function actionOf(accepted) {
  if (accepted.length === 3) return 'accept_all';
  return accepted.length === 0 ? 'reject_all' : 'custom';
}

async function send() {
  const accepted = ['analytics', 'marketing', 'preferences'].filter((category) => CookieConsent.acceptedCategory(category));
  const body = JSON.stringify({
    id: uuidV7(),
    analytics: accepted.includes('analytics'),
    marketing: accepted.includes('marketing'),
    preferences: accepted.includes('preferences'),
    action: actionOf(accepted),
    hostname: location.hostname,
    language: document.documentElement.lang,
  });
  const startedAt = performance.now();
  try {
    const response = await fetch(ingestUrl, {
      method: 'POST', keepalive: true, headers: { 'content-type': 'application/json' }, body,
    });
    const receipt = await response.json();
    const took = Math.round(performance.now() - startedAt);
    status.textContent = response.ok
      ? 'Stored as ' + receipt.id + ' in ' + took + ' ms.'
      : 'Refused: ' + receipt.detail;
    status.dataset.httpStatus = response.status;
    status.dataset.consentId = receipt.id ?? '';
    status.dataset.tookMs = took;
  } catch {
    navigator.sendBeacon(ingestUrl, body);
    status.textContent = 'Sent as a beacon.';
  }
}

async function showReceived() {
  const records = await (await fetch('/demo/received')).json();
  document.getElementById('received').replaceChildren(...records.map((record) => {
    const row = document.createElement('tr');
    for (const text of [record.receivedAt, record.status || 'no answer', JSON.stringify(record.body)]) {
      const cell = row.insertCell();
      cell.append(Object.assign(document.createElement('code'), { textContent: text }));
    }
    return row;
  }));
}

CookieConsent.run({
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
            { title: 'Necessary', linkedCategory: 'necessary' },
            { title: 'Analytics', linkedCategory: 'analytics' },
            { title: 'Marketing', linkedCategory: 'marketing' },
            { title: 'Preferences', linkedCategory: 'preferences' },
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
