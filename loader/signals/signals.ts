/**
 * Sends the visitor's choice to other systems (docs/signals.md). Published if a signal is on: with
 * our banner in the same file, or separately if the site has its own banner. The loader runs it
 * once the configuration has arrived.
 */
import { pristineDocument } from '../pristine-document';
import type { BannerScript, Consent, Granted, PageWork } from '../site';
import { type Sender, senderFor } from './sender';
import { followServices, type State, stateFrom } from './state';
import { TARGETS } from './targets';

/** How often and how long a system's script is awaited, after each choice. */
const RETRY_MS = 250;
const RETRIES_MAX = 40;

/** Returns a function that sends the grants. */
const startSignals = (consent: Consent): ((granted: Granted) => void) => {
  let senders: [name: string, send: Sender][] | undefined;
  let last: Granted;
  let timer: number | undefined;
  const sendAll = (state: State | null, isDecided?: boolean): boolean =>
    (senders ?? [])
      .map(([name, send]) =>
        send(state && followServices(state, { consent, granted: last, name }), isDecided),
      )
      .every(Boolean);
  const retry = (left: number): void => {
    timer = window.setTimeout(() => sendAll(null) || !left || retry(left - 1), RETRY_MS);
  };
  return (granted) => {
    // The loader passes the same object if the grants are unchanged.
    if (senders && granted === last) return;
    last = granted;
    const state = stateFrom(consent, granted);
    senders ??= (consent.configuration?.signals ?? []).flatMap((name) => {
      const target = new Map(Object.entries(TARGETS)).get(name);
      return target
        ? [[name, senderFor(target, followServices(state, { consent, granted, name }))] as [string, Sender]]
        : [];
    });
    clearTimeout(timer);
    if (!sendAll(state, !!granted)) retry(RETRIES_MAX);
  };
};

const script = pristineDocument('currentScript') as unknown as BannerScript;
const startBanner = script.start;
let work: PageWork | undefined;

// The site's own banner is not ours to show.
script.show ??= () => {};
script.start = (consent, trustedScript) => {
  const banner = startBanner?.(consent, trustedScript);
  const send = startSignals(consent);
  return (work ??= {
    apply(granted) {
      banner?.apply(granted);
      // The choice has its services then.
      if (banner?.completed) void banner.completed.then(() => send(granted));
      else send(granted);
    },
    rescan: () => banner?.rescan?.(),
    get seen() {
      return banner?.seen as PageWork['seen'];
    },
  });
};
