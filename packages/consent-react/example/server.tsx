import { readChoice } from '@service/consent-client/server';
import { renderToString } from 'react-dom/server';
import { App } from './app.js';

/** Renders the page for a request: fills the built `index.html`. */
export function render(page: string, cookieHeader: string | undefined): string {
  const known = readChoice(cookieHeader);
  // The flags only, which are safe to write into a script element.
  const { analytics, marketing, preferences } = known ?? {};
  const choice = known && JSON.stringify({ analytics, marketing, preferences });
  return page
    .replace('<!--app-->', () => renderToString(<App choice={known} />))
    .replace('<!--choice-->', () => choice ?? 'null');
}
