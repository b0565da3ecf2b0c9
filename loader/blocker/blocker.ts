/**
 * Blocks requests to hosts and paths that the owner has assigned to a category, until the visitor grants it
 * (docs/scans.md). It is loaded first and synchronously, by a static tag of its own, with the project's rules embedded.
 * What the visitor has granted is read from the stored choice, then from what the loader pushes to the data layer.
 */
import { ownGlobal } from '../own-global';
import { pristineDocument } from '../pristine-document';
import { storedGrants } from './stored-grants';

/** Attributes whose addresses are requested, by element. */
const GUARDED = new Map([
  ['script', ['src']],
  ['iframe', ['src']],
  ['img', ['src', 'srcset']],
  ['link', ['href']],
]);
const SELECTOR = [...GUARDED.keys()].join();
/** What Google Consent Mode calls each category (loader/google-consent.ts). */
const STORAGE = [
  ['analytics', 'analytics_storage'],
  ['marketing', 'ad_storage'],
  ['preferences', 'functionality_storage'],
] as const;
const CHOICE_EVENT = 'service_consent_update';

/** An attribute that waits for consent. */
interface Held {
  address: unknown;
  restore: () => void;
}

const patterns = BLOCKING.rules.map(([pattern, category]) => [new RegExp(pattern), category] as const);
const waiting = new Map<Element, Record<string, Held>>();
const { setAttribute } = Element.prototype;

let granted = storedGrants();

const isBlocked = (address: unknown): boolean => {
  try {
    const { href, hostname, pathname } = new URL(String(address), pristineDocument('baseURI'));
    // Loader, banner, configuration and records of this project: without them nobody could consent.
    if (href.includes(BLOCKING.id)) return false;
    const [, category] = patterns.find(([pattern]) => pattern.test(hostname + pathname)) ?? [];
    return category !== undefined && category !== 'necessary' && !granted.has(category);
  } catch {
    // No address, which requests nothing.
    return false;
  }
};

/** A `srcset` has several addresses, each with a size. */
const isAnyBlocked = (name: string, value: unknown): boolean =>
  name === 'srcset'
    ? String(value)
        .split(',')
        .some((candidate) => isBlocked(candidate.trim().split(/\s/)[0]))
    : isBlocked(value);

/** Sets an attribute, or keeps it until it may be set. */
const setOrHold = (element: Element, name: string, address: unknown, set: () => void): void => {
  const held = waiting.get(element);
  delete held?.[name];
  if (isAnyBlocked(name, address)) waiting.set(element, { ...held, [name]: { address, restore: set } });
  else set();
};

/** For elements that scripts create: nothing is requested before the attribute is set. */
const guardSetters = (): void => {
  for (const [{ prototype }, name] of [
    [HTMLScriptElement, 'src'],
    [HTMLIFrameElement, 'src'],
    [HTMLImageElement, 'src'],
    [HTMLImageElement, 'srcset'],
    [HTMLLinkElement, 'href'],
  ] as const) {
    const native = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    Object.defineProperty(prototype, name, {
      ...native,
      set(this: Element, value: unknown) {
        setOrHold(this, name, value, () => native.set?.call(this, value));
      },
    });
  }
  Element.prototype.setAttribute = function (name, value) {
    const set = (): void => setAttribute.call(this, name, value);
    const guarded = String(name).toLowerCase();
    if (GUARDED.get(this.localName)?.includes(guarded)) setOrHold(this, guarded, value, set);
    else set();
  };
};

/** A script of the page itself: the parser has inserted it and runs it next, unless it has another type. */
const holdScript = (script: HTMLScriptElement): void => {
  const type = script.getAttribute('type');
  script.type = 'text/plain';
  const restore = (): void => {
    if (type === null) script.removeAttribute('type');
    else script.type = type;
    // In the order of the page, unless the page does not want that.
    if (!script.hasAttribute('async')) script.async = false;
    // It is prepared when it is inserted.
    const { parentNode, nextSibling } = script;
    script.remove();
    parentNode?.insertBefore(script, nextSibling);
  };
  waiting.set(script, { src: { address: script.src, restore } });
};

const inspect = (element: Element): void => {
  for (const name of GUARDED.get(element.localName) ?? []) {
    const address = element.getAttribute(name);
    if (address === null || !isAnyBlocked(name, address)) continue;
    if (element.localName === 'script') {
      holdScript(element as HTMLScriptElement);
      continue;
    }
    element.removeAttribute(name);
    // Without this, the frame would go on loading.
    if (element.localName === 'iframe') setAttribute.call(element, name, 'about:blank');
    setOrHold(element, name, address, () => setAttribute.call(element, name, address));
  }
};

/** For elements of the page itself, and of HTML that scripts insert. */
const observe = (): void => {
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node instanceof Element) [node, ...node.querySelectorAll(SELECTOR)].forEach(inspect);
  }).observe(document, { childList: true, subtree: true });
};

/** Requests without an element: they fail as if the network did, and are not repeated. */
const guardRequests = (): void => {
  const { fetch: nativeFetch } = window;
  window.fetch = function (this: unknown, ...request: Parameters<typeof fetch>) {
    return isBlocked((request[0] as Request | undefined)?.url ?? request[0])
      ? Promise.reject(new TypeError('Waits for consent'))
      : nativeFetch.apply(this, request);
  };
  const { sendBeacon } = Navigator.prototype;
  Navigator.prototype.sendBeacon = function (...request) {
    return !isBlocked(request[0]) && sendBeacon.apply(this, request);
  };
  const addresses = new WeakMap<XMLHttpRequest, unknown>();
  const { open, send } = XMLHttpRequest.prototype;
  XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...request: unknown[]) {
    addresses.set(this, request[1]);
    open.apply(this, request as never);
  } as typeof open;
  XMLHttpRequest.prototype.send = function (body) {
    if (isBlocked(addresses.get(this)))
      setTimeout(() => ['error', 'loadend'].forEach((name) => this.dispatchEvent(new ProgressEvent(name))));
    else send.call(this, body);
  };
};

/** Restores what is granted now, in the order in which it was held. */
const release = (): void => {
  for (const held of waiting.values())
    for (const [name, { address, restore }] of Object.entries(held)) {
      if (isAnyBlocked(name, address)) continue;
      delete held[name];
      try {
        restore();
      } catch {
        // The page's policy forbids it.
      }
    }
};

/** Follows what the loader pushes: the grants of each category, then its event. */
const followLoader = (): void => {
  const own = ownGlobal('dataLayer');
  const layer = (Array.isArray(own) ? own : []) as Record<string, unknown>[] & { push: { guarded?: true } };
  (window as { dataLayer?: unknown }).dataLayer = layer;
  const { push } = layer;
  if (push.guarded) return;
  let states: Record<string, unknown> | undefined;
  layer.push = (...items) => {
    const length = push.apply(layer, items);
    for (const item of items) {
      if (item?.['0'] === 'consent' && item['1'] === 'update') states = item['2'] as typeof states;
      if (item?.['event'] !== CHOICE_EVENT || !states) continue;
      granted = new Set(
        STORAGE.filter(([, type]) => states?.[type] === 'granted').map(([category]) => category),
      );
      release();
    }
    return length;
  };
  (layer.push as typeof push).guarded = true;
};

try {
  guardSetters();
  guardRequests();
  observe();
  followLoader();
  // The page may have replaced its data layer since.
  addEventListener(`${META_GLOBAL}:ready`, followLoader, true);
} catch {
  // Nothing that fails here may stop the page's own scripts.
}
