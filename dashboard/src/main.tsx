import '@mantine/core/styles.css';
import './app/app.css';
import { setNonce } from 'get-nonce';
import { startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app/app';
import { preferredLanguage } from './i18n/locale';
import { loadMessages, locale } from './i18n/i18n';

/** What the answer's own policy lets inline styles in by; Mantine and its scroll lock add some. */
const nonce = document.querySelector<HTMLElement>('meta[property=csp-nonce]')?.nonce ?? '';
setNonce(nonce);

// After an upgrade an open page requests files that are gone: reload it in the new version.
window.addEventListener('vite:preloadError', () => location.reload());

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
// Without "await": a module that waits would tear the build's one file into many.
void loadMessages(preferredLanguage()).then(() => {
  document.documentElement.lang = locale;
  // In slices: the page answers while it is drawn.
  startTransition(() => createRoot(root).render(<App nonce={nonce} />));
});
