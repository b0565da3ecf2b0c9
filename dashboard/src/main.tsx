import './app/mantine.css';
import './app/tokens.css';
import './app/app.css';
import './app/components.css';
import './app/shell.css';
import { setNonce } from 'get-nonce';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { forgetFirstResponses } from './api/first-responses';
import { App } from './app/app';
import { showFieldMessages } from './app/field-messages';
import { router } from './app/router';
import { preferredLanguage } from './i18n/locale';
import { loadMessages, locale } from './i18n/i18n';

/** The nonce of the response's policy for inline styles; Mantine and its scroll lock add some. */
const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';
setNonce(nonce);

// After an upgrade an open page requests deleted files: reload it in the new version.
window.addEventListener('vite:preloadError', () => location.reload());

showFieldMessages();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
/** The first format of all takes 50 ms, which are spent while the answers are on their way. */
function loadLocaleData(): void {
  new Intl.NumberFormat(locale).format(0);
}

/** A page whose answers take longer begins with its skeleton. */
const FIRST_DRAW_MAX_MS = 1_000;
/** After the first page is loaded: later requests want the current state. */
const FIRST_RESPONSES_KEPT_MS = 5_000;

// Without "await": a module that waits would tear the build's one file into many.
void loadMessages(preferredLanguage())
  .then(() => {
    document.documentElement.lang = locale;
    setTimeout(loadLocaleData);
    // The answers first: what arrives in a page that is drawn already is drawn at one go, which blocks it for longer.
    // What fails is loaded again by the drawn page, which shows the failure.
    const loaded = router.load().catch(() => {});
    void loaded.then(() => setTimeout(forgetFirstResponses, FIRST_RESPONSES_KEPT_MS));
    return Promise.race([loaded, new Promise((wake) => setTimeout(wake, FIRST_DRAW_MAX_MS))]);
  })
  // In slices: the page answers while it is drawn.
  .then(() => startTransition(() => createRoot(root).render(<App nonce={nonce} />)));
