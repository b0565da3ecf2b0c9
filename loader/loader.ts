/**
 * The script on the customer's site (docs/loader.md). It makes one request, for the published configuration, sets the
 * global with tier and region, and sends the banner's choices to the service. If the configuration says so, it shows
 * our own banner, which it loads when a choice is needed. It never throws into the page and works without storage.
 */
import { currentChoice, promptFingerprint } from './choice';
import { configuration, loadConfiguration, mode, modes, useLastGood } from './configuration';
import { isAllowed, rescan } from './consent-applier';
import { decide } from './decide';
import { type Choice, startGoogle } from './google-consent';
import { showBanner } from './load-banner';
import { publishMeta } from './meta';
import { ownGlobal } from './own-global';
import { loaderScript } from './page';
import { flushQueue, startQueue } from './queue';
import type { Consent } from './site';
import { submit } from './submit';

/** After this time the last good configuration is used, or the defaults. */
const CONFIGURATION_TIMEOUT_MS = 4000;

let resolveReady: (meta: object) => void;

const start = (): void => {
  // Loaded twice: the first one has done it all.
  if (ownGlobal(CONSENT_GLOBAL)) return;
  if (!loaderScript) {
    // A module learns its address only from `import.meta`, which is a syntax error in a plain script.
    // oxlint-disable-next-line no-console -- the author of the page reads it there
    console.warn('type=module');
    return;
  }
  const ready = new Promise<object>((resolve) => (resolveReady = resolve));
  const consent: Consent = Object.freeze({
    submit,
    ready,
    /** Our own banner's second layer, once the configuration has arrived. */
    open: () => ready.then(() => showBanner(consent, 'link')),
    /** Runs granted elements that were added to the page since. */
    rescan,
    /** Whether a category or service may run now. */
    isAllowed,
    /**
     * The published configuration: texts, categories, versions; null before `ready`, or without
     * one.
     */
    get configuration() {
      return configuration;
    },
    /** The visitor's choice on this site; null: none, or it has expired. */
    get choice() {
      return Object.freeze(currentChoice());
    },
    /** `opt_in`, `opt_out`, `notice` or `none`: what applies without a choice; the strictest of all categories. */
    get mode() {
      return mode();
    },
    /** The same for each category. */
    get modes() {
      return modes();
    },
  });
  startGoogle(currentChoice());
  startQueue();
  (window as unknown as Record<string, unknown>)[CONSENT_GLOBAL] = consent;
  // If a stored configuration is invalid, nothing is granted.
  load(consent).catch(() => {});
};

const load = async (consent: Consent): Promise<void> => {
  const arrived = loadConfiguration(() => {
    promptFingerprint();
    currentChoice({} as Choice);
  });
  await new Promise<void>((resolve) => {
    setTimeout(resolve, CONFIGURATION_TIMEOUT_MS);
    void arrived.then(resolve);
  });
  useLastGood();
  publishMeta(resolveReady);
  flushQueue();
  // Without a stored one, the page keeps waiting: a late prompt is better than none.
  if (!configuration) {
    await arrived;
    if (configuration) publishMeta(resolveReady);
  }
  if (configuration) decide(consent);
};

try {
  start();
} catch {
  // A failure here must not stop the page's own scripts.
}
