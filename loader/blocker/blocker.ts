/**
 * Blocks requests to hosts and paths that the owner has assigned to a category, until the visitor
 * grants it (docs/scans.md). It is loaded first and synchronously, by its own static tag, with the
 * project's rules embedded. The visitor's grants are read from the stored choice, then from the
 * loader's pushes to the data layer.
 */
import { ownGlobal } from '../own-global';
import { pristineDocument } from '../pristine-document';
import { storedGrants, withServices } from './stored-grants';

type Realm = Window & typeof globalThis;
type Method = (this: unknown, ...given: unknown[]) => unknown;
type Methods = Record<string, Method>;

/** Attributes whose addresses are requested, by element. */
const GUARDED = new Map([
  ['script', ['src', 'href', 'xlink:href']],
  ['iframe', ['src']],
  ['img', ['src', 'srcset']],
  ['source', ['src', 'srcset']],
  ['input', ['src']],
  ['image', ['href', 'xlink:href']],
  ['feImage', ['href', 'xlink:href']],
  ['link', ['href', 'imagesrcset']],
  ['video', ['src', 'poster']],
  ['audio', ['src']],
  ['track', ['src']],
  ['embed', ['src']],
  ['object', ['data']],
  ['a', ['ping']],
  ['area', ['ping']],
]);
const SELECTOR = [...GUARDED]
  .map(([element, names]) =>
    element === 'script' || element === 'iframe'
      ? element
      : names.map((name) => `${element}[${name.replace('xlink:', '*|')}]`).join(),
  )
  .join();
/** Methods that put nodes into a tree, where scripts run and frames begin to load. */
const INSERTING = {
  Node: ['appendChild', 'insertBefore', 'replaceChild'],
  Element: [
    'append',
    'prepend',
    'before',
    'after',
    'replaceWith',
    'replaceChildren',
    'insertAdjacentElement',
  ],
  Document: ['append', 'prepend', 'replaceChildren'],
  DocumentFragment: ['append', 'prepend', 'replaceChildren'],
  CharacterData: ['before', 'after', 'replaceWith'],
  Range: ['insertNode', 'surroundContents'],
};
/** Methods that insert at the positions of `insertAdjacentHTML`. */
const ADJACENT: Record<string, 'before' | 'prepend' | 'append' | 'after'> = {
  beforebegin: 'before',
  afterbegin: 'prepend',
  beforeend: 'append',
  afterend: 'after',
};
/** What Google Consent Mode calls each category (loader/google-consent.ts). */
const STORAGE = [
  ['analytics', 'analytics_storage'],
  ['marketing', 'ad_storage'],
  ['preferences', 'functionality_storage'],
] as const;
const CHOICE_EVENT = 'service_consent_update';
/** Type of a script of `document.write` that waits. */
const WRITTEN = 'text/waits';
const WRITTEN_SCRIPT = /<script(?=[^>]*?\ssrc\s*=\s*["']?([^"'\s>]+))/gi;
/** Under this name a window has the function that guards its frames. */
const GUARD = Symbol.for(BLOCKING.id);

/** An attribute that waits for consent. */
interface Held {
  addresses: unknown[];
  restore: () => void;
}

const patterns = BLOCKING.rules.map(([pattern, category]) => [new RegExp(pattern), category] as const);
const waiting = new Map<Element, Record<string, Held>>();
/** Global objects of the page and of its frames. */
const guardedRealms = new WeakSet<object>();
const { setAttribute, getAttribute, querySelectorAll } = Element.prototype;
const setInnerHTML = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML')?.set as Method;
const nonce = (pristineDocument('currentScript') as HTMLScriptElement | null)?.nonce ?? '';

const GUARD_TAG = `<script nonce="${nonce}">parent[Symbol.for("${BLOCKING.id}")](self)</script>`;

let granted = storedGrants();

const isBlocked = (address: unknown): boolean => {
  try {
    const { href, hostname, pathname } = new URL(String(address), pristineDocument('baseURI'));
    // Loader, banner, configuration and records of this project, without which visitors could not
    // consent.
    if (href.includes(BLOCKING.id)) return false;
    const [, category] = patterns.find(([pattern]) => pattern.test(hostname + pathname)) ?? [];
    return category !== undefined && category !== 'necessary' && !granted.has(category);
  } catch {
    // Not an address, so nothing is requested.
    return false;
  }
};

/** A `srcset` has several addresses, each with a size; `ping` has several. */
const addressesOf = (name: string, value: unknown): unknown[] =>
  /srcset|ping/.test(name) ? String(value).split(/[\s,]+/) : [value];

/** Sets an attribute, or keeps it until it may be set. */
const setOrHold = (element: Element, name: string, value: unknown, set: () => void): void => {
  const held = waiting.get(element);
  delete held?.[name];
  const addresses = addressesOf(name, value);
  if (addresses.some(isBlocked)) waiting.set(element, { ...held, [name]: { addresses, restore: set } });
  else set();
};

/** Replaces a method, where the browser has it. */
const wrap = (owner: unknown, name: string, replace: (native: Method) => Method): void => {
  const native = (owner as Methods | undefined)?.[name];
  if (native) (owner as Methods)[name] = replace(native);
};

/** Replaces the getter or setter of a property. */
const wrapProperty = (
  owner: object | null,
  name: string,
  kind: 'get' | 'set',
  replace: (native: Method) => Method,
): void => {
  while (owner && !Object.getOwnPropertyDescriptor(owner, name))
    owner = Object.getPrototypeOf(owner) as object;
  const native = owner && Object.getOwnPropertyDescriptor(owner, name);
  if (native?.[kind])
    Object.defineProperty(owner, name, { ...native, [kind]: replace(native[kind] as Method) });
};

/** A script of the page itself: the parser has inserted it and runs it next, unless it has another type. */
const holdScript = (script: HTMLScriptElement, addresses: unknown[]): void => {
  // Checked again when it is inserted: its type was replaced.
  if (waiting.get(script)?.['src']) return;
  const type = script.getAttribute('type');
  script.type = 'text/plain';
  const restore = (): void => {
    if (type === null || type === WRITTEN) script.removeAttribute('type');
    else script.type = type;
    // In the order of the page, unless the script is async.
    if (!script.hasAttribute('async')) script.async = false;
    // It is prepared when it is inserted.
    const { parentNode, nextSibling } = script;
    script.remove();
    parentNode?.insertBefore(script, nextSibling);
  };
  waiting.set(script, { src: { addresses, restore } });
};

/** Addresses in the text of a script that the browser requests without running it. */
const addressesInText = ({ type, textContent }: HTMLScriptElement): unknown[] => {
  const address =
    type === 'speculationrules' ? /"([^"]+)"/g : type === 'module' && /\b(?:from|import)\s*["']([^"']+)/g;
  return address ? [...(textContent as string).matchAll(address)].map(([, found]) => found) : [];
};

const inspect = (element: Element): void => {
  const html = element.localName === 'iframe' && element.getAttribute('srcdoc');
  if (html && !html.includes(GUARD_TAG)) setAttribute.call(element, 'srcdoc', withGuard(html));
  for (const name of GUARDED.get(element.localName) ?? []) {
    const address = element.getAttribute(name);
    const addresses = address === null ? [] : addressesOf(name, address);
    if (element.localName === 'script') addresses.push(...addressesInText(element as HTMLScriptElement));
    if (!addresses.some(isBlocked)) continue;
    if (element.localName === 'script') {
      holdScript(element as HTMLScriptElement, addresses);
      return;
    }
    element.removeAttribute(name);
    // Otherwise the frame would continue to load.
    if (element.localName === 'iframe') setAttribute.call(element, name, 'about:blank');
    setOrHold(element, name, address, () => setAttribute.call(element, name, address as string));
  }
};

/** Returns the frames of the tree, to guard them once they have windows. */
const inspectTree = (root: unknown): HTMLIFrameElement[] => {
  const { nodeType } = (root ?? {}) as Node;
  if (nodeType !== 1 && nodeType !== 11) return [];
  const find = nodeType === 1 ? querySelectorAll : DocumentFragment.prototype.querySelectorAll;
  // Most elements that scripts insert have no children.
  const elements = (root as Element).firstElementChild ? [...find.call(root as never, SELECTOR)] : [];
  if (nodeType === 1) elements.unshift(root as Element);
  elements.forEach(inspect);
  return elements.filter(({ localName }) => localName === 'iframe') as HTMLIFrameElement[];
};

/** For elements of the page itself. */
const observer = new MutationObserver((records) => inspectAdded(records));
const inspectAdded = (records: MutationRecord[]): void => {
  for (const { addedNodes } of records) for (const node of addedNodes) inspectTree(node).forEach(guardFrame);
};
const observe = (root: Node): void => observer.observe(root, { childList: true, subtree: true });

/** Before images and media of new HTML load, which browsers begin in a microtask. */
const inspectNow = (root: unknown): void => {
  inspectAdded(observer.takeRecords());
  if (!(root as Node | null)?.isConnected) inspectTree(root).forEach(guardFrame);
};

/**
 * HTML with frames for a place in the page, parsed outside of it, where frames do not load yet. Undefined: it has none,
 * or only its place decides how it is parsed. In another document it must stay: images of ours load.
 */
const parseFrames = (place: Element | null, html: unknown): Node[] | undefined => {
  const text = String(html);
  if (!/<iframe/i.test(text) || /<form/i.test(text)) return undefined;
  const { localName, namespaceURI, isConnected, ownerDocument } = place ?? ({} as Element);
  if (!isConnected || ownerDocument !== document || !/l$/.test(namespaceURI ?? '')) return undefined;
  if (/^(html|template)$/.test(localName)) return undefined;
  // A custom element would run its constructor.
  const copy = pristineDocument('createElement')(localName.includes('-') ? 'div' : localName);
  setInnerHTML.call(copy, html);
  return [...copy.childNodes];
};

const guardFrame = (frame: HTMLIFrameElement): void => void frame.contentWindow;

/** A document in an attribute: its first script guards its window. */
const withGuard = (html: unknown): string =>
  String(html).replace(/^(\s*<!doctype[^>]*>)?/i, `$&${GUARD_TAG}`);

/** For elements that scripts create: nothing is requested before the attribute is set. */
const guardSetters = ({ document, Element: { prototype }, HTMLIFrameElement: frame }: Realm): void => {
  for (const [element, names] of GUARDED)
    for (const name of names)
      wrapProperty(
        document.createElement(element),
        name,
        'set',
        (native) =>
          function (value) {
            setOrHold(this as Element, name, value, () => native.call(this, value));
          },
      );
  for (const [method, at] of [
    ['setAttribute', 0],
    ['setAttributeNS', 1],
  ] as const)
    wrap(
      prototype,
      method,
      (native) =>
        function (...given) {
          const { localName } = this as Element;
          const name = String(given[at]).toLowerCase().replace('xlink:', '');
          if (localName === 'iframe' && name === 'srcdoc') given[at + 1] = withGuard(given[at + 1]);
          const set = (): unknown => native.apply(this, given);
          if (GUARDED.get(localName)?.includes(name)) setOrHold(this as Element, name, given[at + 1], set);
          else set();
        },
    );
  wrapProperty(
    frame.prototype,
    'srcdoc',
    'set',
    (native) =>
      function (html) {
        native.call(this, withGuard(html));
      },
  );
};

/** For nodes and HTML that scripts insert. */
const guardTrees = (realm: Realm): void => {
  for (const [owner, methods] of Object.entries(INSERTING))
    for (const method of methods)
      wrap(
        (realm as never as Record<string, { prototype: object }>)[owner]?.prototype,
        method,
        (native) =>
          function (...given) {
            const frames = given.flatMap(inspectTree);
            const result = native.apply(this, given);
            frames.forEach(guardFrame);
            return result;
          },
      );
  const { Element: element, Document: page, ShadowRoot: shadow, HTMLIFrameElement: frame } = realm;
  for (const [owner, method] of [
    [element, 'setHTMLUnsafe'],
    [shadow, 'setHTMLUnsafe'],
    [realm.Node, 'cloneNode'],
    [page, 'importNode'],
    [realm.Range, 'createContextualFragment'],
  ] as const)
    wrap(
      (owner as typeof Element).prototype,
      method as string,
      (native) =>
        function (...given) {
          const result = native.apply(this, given);
          inspectNow(result ?? this);
          return result;
        },
    );
  // Each frame has its own prototypes.
  const parse = realm === window ? parseFrames : () => undefined;
  wrap(
    element.prototype,
    'insertAdjacentHTML',
    (native) =>
      function (...given) {
        const method = ADJACENT[String(given[0]).toLowerCase()];
        const isInside = method === 'prepend' || method === 'append';
        const place = this as Element;
        const nodes = method && parse(isInside ? place : place.parentElement, given[1]);
        if (nodes) element.prototype[method].apply(place, nodes);
        else native.apply(this, given);
        inspectNow(this);
      },
  );
  for (const [owner, name] of [
    [element, 'innerHTML'],
    [shadow, 'innerHTML'],
    [element, 'outerHTML'],
  ] as const)
    wrapProperty(
      owner.prototype,
      name,
      'set',
      (native) =>
        function (html) {
          const self = this as Element;
          const isOuter = name === 'outerHTML';
          const nodes = parse(
            isOuter ? self.parentElement : owner === shadow ? (self as never as ShadowRoot).host : self,
            html,
          );
          const { prototype } = owner as typeof Element;
          if (nodes) prototype[isOuter ? 'replaceWith' : 'replaceChildren'].apply(self, nodes);
          else native.call(this, html);
          inspectNow(this);
        },
    );
  for (const method of ['write', 'writeln'])
    wrap(
      page.prototype,
      method,
      (native) =>
        function (...given) {
          native.apply(this, given.map(withHeldScripts));
          inspectNow(this);
        },
    );
  wrap(
    element.prototype,
    'attachShadow',
    (native) =>
      function (...given) {
        const root = native.apply(this, given);
        observe(root as ShadowRoot);
        return root;
      },
  );
  for (const name of ['contentWindow', 'contentDocument'])
    wrapProperty(
      frame.prototype,
      name,
      'get',
      (native) =>
        function () {
          const found = native.call(this) as (Realm & Document) | null;
          try {
            if (found) guard((found.defaultView ?? found) as Realm);
          } catch {
            // Of another origin, with its own rules.
          }
          return found;
        },
    );
};

/** The parser runs a written script before anything else could see it. */
const withHeldScripts = (html: unknown): unknown => {
  const held = String(html).replace(WRITTEN_SCRIPT, (tag, address) =>
    isBlocked(address) ? `${tag} type="${WRITTEN}"` : tag,
  );
  return held === String(html) ? html : held;
};

/** Requests without an element: they fail as if the network did, and are not repeated. */
const guardRequests = (realm: Realm): void => {
  const instead = (owner: unknown, name: string, refuse: () => unknown): void =>
    wrap(
      owner,
      name,
      (native) =>
        function (...given) {
          return isBlocked((given[0] as Request | undefined)?.url ?? given[0])
            ? refuse()
            : native.apply(this, given);
        },
    );
  instead(realm, 'fetch', () => Promise.reject(new TypeError('Waits for consent')));
  instead(realm, 'fetchLater', () => ({ activated: false }));
  instead(realm.Navigator.prototype, 'sendBeacon', () => false);
  const addresses = new WeakMap<XMLHttpRequest, unknown>();
  const { open, send } = realm.XMLHttpRequest.prototype;
  realm.XMLHttpRequest.prototype.open = function (this: XMLHttpRequest, ...request: unknown[]) {
    addresses.set(this, request[1]);
    open.apply(this, request as never);
  } as typeof open;
  realm.XMLHttpRequest.prototype.send = function (body) {
    if (isBlocked(addresses.get(this)))
      setTimeout(() => ['error', 'loadend'].forEach((name) => this.dispatchEvent(new ProgressEvent(name))));
    else send.call(this, body);
  };
  // An address without a server: the object reports an error, as where the network fails.
  for (const [name, nowhere] of [
    ['EventSource', 'data:,'],
    ['WebSocket', 'wss://waits.invalid'],
  ] as const)
    realm[name] = new Proxy(realm[name] as never, {
      construct: (native, [address, ...options]: unknown[], target) =>
        Reflect.construct(native, [isBlocked(address) ? nowhere : address, ...options], target) as object,
    });
};

/** Forms request their address as a page; a blocked one stays unsent. */
const guardForms = (realm: Realm): void => {
  const isFormBlocked = (form: unknown, button?: Element | null): boolean =>
    isBlocked(button?.getAttribute('formaction') ?? getAttribute.call(form as Element, 'action') ?? '');
  realm.addEventListener(
    'submit',
    (event) => {
      if (isFormBlocked(event.target, event.submitter as Element | null)) event.preventDefault();
    },
    true,
  );
  wrap(
    realm.HTMLFormElement.prototype,
    'submit',
    (native) =>
      function () {
        if (!isFormBlocked(this)) native.call(this);
      },
  );
};

/** Guards a window of the page's origin; again for each document that it shows. */
const guard = (realm: Realm): void => {
  observe(realm.document);
  if (guardedRealms.has(realm.Element)) return;
  guardedRealms.add(realm.Element);
  Object.defineProperty(realm, GUARD, { value: guard });
  guardSetters(realm);
  guardRequests(realm);
  guardForms(realm);
  guardTrees(realm);
};

/** Restores the granted elements, in the order in which they were blocked. */
const release = (): void => {
  for (const held of waiting.values())
    for (const [name, { addresses, restore }] of Object.entries(held)) {
      if (addresses.some(isBlocked)) continue;
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
      granted = withServices(
        STORAGE.filter(([, type]) => states?.[type] === 'granted').map(([category]) => category),
      );
      release();
    }
    return length;
  };
  (layer.push as typeof push).guarded = true;
};

/** The guard of the page that this frame is in, which knows the visitor's choice. */
const guardOfParent = (): ((realm: Window) => void) | undefined => {
  try {
    return (parent as never as Record<symbol, ((realm: Window) => void) | undefined>)[GUARD];
  } catch {
    // It is of another origin.
    return undefined;
  }
};

try {
  const shared = guardOfParent();
  if (shared) shared(window);
  else {
    guard(window);
    // A frame that has loaded another document has another window.
    addEventListener('load', ({ target }) => inspectTree(target).forEach(guardFrame), true);
    followLoader();
    // The page may have replaced its data layer since.
    addEventListener(`${META_GLOBAL}:ready`, followLoader, true);
  }
} catch {
  // A failure here must not stop the page's own scripts.
}
