/** Reports that a frame may send before the rest is ignored, and equal ones of a script with other values. */
const REPORTS_MAX = 500;
const REPORTS_OF_ONE_MAX = 3;
const TEXT_MAX = 300;
const SOURCE_MAX = 1000;
/** How deep a library may be called before the script that calls it is unknown. */
const STACK_FRAMES_MAX = 50;
/** Longer texts of cookies and entries are cut: browsers store no longer cookie. */
export const REPORTED_CHARACTERS_MAX = 4_200;
/** A smaller canvas cannot identify a device. */
const CANVAS_PIXELS_MIN = 16;

const KINDS = [
  'cookie',
  'local_storage',
  'session_storage',
  'indexed_db',
  'service_worker',
  'beacon',
  'kept_fetch',
  'fetch_later',
  'canvas',
  'audio',
  'webrtc',
  'webgl',
  'client_hints',
] as const;

/** What page scripts did, as the hooks report it. */
export interface HookReport {
  kind: (typeof KINDS)[number];
  /** Of the entry or database; the address of a worker or request; the call. */
  name: string;
  /**
   * The text that sets the cookie, the entry's value, or the bytes of the request's body; cut at
   * {@link REPORTED_CHARACTERS_MAX}. Empty: of the others.
   */
  value: string;
  /** Whether the cookie could be read directly after it was set. */
  wasRead: boolean;
  /** Host of the frame's origin, from the browser; empty: none. */
  host: string;
  /** Address of the script; null: unknown. */
  source: string | null;
}

/**
 * Runs in each frame before its scripts: reports which script sets cookies and entries, and calls
 * that can identify a device. A report is a message of the console that begins with `key`. The page
 * sees neither the key nor a function that reports. The functions that the hooks use are saved
 * before a script of the page can replace them, and strict mode keeps the hooks out of
 * `arguments.callee` and `CallSite.getFunction`. The hooks never use the page's iterators or
 * prototypes on their lists and objects. As text, because it does not run in this process.
 */
export function hooksScript(key: string): string {
  return `(() => {
  'use strict';
  const { apply, defineProperty, deleteProperty, getOwnPropertyDescriptor, setPrototypeOf } = Reflect;
  const method = (owner, name) => {
    const original = owner && owner.prototype && owner.prototype[name];
    return (self, ...given) => apply(original, self, given);
  };
  const getter = (owner, name) => {
    const { get } = getOwnPropertyDescriptor(owner.prototype, name) || {};
    return (self) => apply(get, self, []);
  };
  const [startsWith, indexOf, slice, trim] = ['startsWith', 'indexOf', 'slice', 'trim'].map((name) => method(String, name));
  const [then, encode, formatDate] = [method(Promise, 'then'), method(TextEncoder, 'encode'), method(Date, 'toUTCString')];
  const [PageError, PageURL, PageRequest, PageDate, page, json] = [Error, URL, Request, Date, console, JSON.stringify];
  const { debug } = console;
  const { captureStackTrace } = Error;
  const [hrefOf, addressOf, baseOf] = [getter(URL, 'href'), getter(Request, 'url'), getter(Node, 'baseURI')];
  const [frame, { origin }, encoder] = [document, window, new TextEncoder()];
  let session = null;
  try { session = window.sessionStorage; } catch {}
  // Sets a property of Error and returns what restores it; null: the page does not let it change.
  const replace = (name, value) => {
    const former = getOwnPropertyDescriptor(PageError, name);
    if (former) setPrototypeOf(former, null);
    if (!defineProperty(PageError, name, { __proto__: null, value, configurable: true, writable: true })) return null;
    return () => former ? defineProperty(PageError, name, former) : deleteProperty(PageError, name);
  };
  const readStack = (prepare, frames) => {
    const restore = replace('prepareStackTrace', prepare);
    const restoreLimit = replace('stackTraceLimit', frames);
    const holder = { __proto__: null };
    captureStackTrace(holder);
    const result = restore ? holder.stack : '';
    if (restore) restore();
    if (restoreLimit) restoreLimit();
    return result;
  };
  const getFileName = readStack((_, [site]) => Object.getPrototypeOf(site).getFileName, 1);
  // The name of a script, which neither its sourceURL, nor names of functions, nor the page's own format of stacks change.
  const firstFile = (_, sites) => {
    for (let at = 0; at < sites.length; at += 1) {
      const name = apply(getFileName, sites[at], []);
      if (typeof name === 'string' && startsWith(name, 'http')) return name;
    }
    return '';
  };
  const findSource = () => readStack(firstFile, ${STACK_FRAMES_MAX});
  const seen = { __proto__: null };
  const counts = { __proto__: null };
  let reports = 0;
  const report = (kind, name, value = '', wasRead = false, source = findSource()) => {
    if (reports >= ${REPORTS_MAX}) return;
    try {
      const what = json(kind) + ',' + json(slice(\`\${name}\`, 0, ${TEXT_MAX})) + ',' + json(slice(source, 0, ${SOURCE_MAX}));
      const text = what + ',' + json(slice(value, 0, ${REPORTED_CHARACTERS_MAX}));
      if (seen[text] || counts[what] >= ${REPORTS_OF_ONE_MAX}) return;
      seen[text] = true;
      counts[what] = (counts[what] || 0) + 1;
      reports += 1;
      apply(debug, page, [${JSON.stringify(key)} + '[' + text + ',' + (wasRead ? 'true' : 'false') + ',' + json(origin) + ']']);
    } catch {}
  };
  const after = (owner, name, action) => {
    const original = owner && owner.prototype && owner.prototype[name];
    if (typeof original !== 'function') return;
    owner.prototype[name] = { [name](...given) {
      const result = apply(original, this, given);
      try { action(this, given, result); } catch {}
      return result;
    } }[name];
  };
  const before = (text, mark) => {
    const end = indexOf(text, mark);
    return end < 0 ? text : slice(text, 0, end);
  };
  const cookie = getOwnPropertyDescriptor(Document.prototype, 'cookie');
  const [getCookie, setCookie] = cookie ? [cookie.get, cookie.set] : [];
  if (setCookie) defineProperty(Document.prototype, 'cookie', {
    ...cookie,
    set(value) {
      const text = \`\${value}\`;
      apply(setCookie, this, [text]);
      const pair = trim(before(text, ';'));
      const wasRead = indexOf('; ' + apply(getCookie, this, []) + '; ', '; ' + pair + '; ') >= 0;
      report('cookie', before(pair, '='), text, wasRead);
    },
  });
  after(window.CookieStore, 'set', (_, given, stored) => {
    const options = given[0] && typeof given[0] === 'object' ? given[0] : null;
    const name = options ? options.name : given[0];
    const { domain, path, expires } = options || { __proto__: null };
    const text = \`\${name}=\${options ? options.value : given[1]}\` + (domain ? \`; domain=\${domain}\` : '') + \`; path=\${path || '/'}\`
      + (expires ? '; expires=' + formatDate(new PageDate(expires)) : '');
    const source = findSource();
    then(stored, () => report('cookie', name, text, true, source), () => {});
  });
  after(window.Storage, 'setItem', (storage, given) => {
    report(storage === session ? 'session_storage' : 'local_storage', given[0], \`\${given[1]}\`);
  });
  after(window.IDBFactory, 'open', (_, given) => report('indexed_db', given[0]));
  try {
    // The browser's own function is replaced by one that starts no worker.
    const workers = navigator.serviceWorker;
    const register = workers.register;
    workers.register = function (...given) {
      try { report('service_worker', hrefOf(new PageURL(given[0], baseOf(frame)))); } catch {}
      return apply(register, this, given);
    };
  } catch {}
  // What a page sends when it is left is in no log of the browser.
  const sizeOf = (body) => typeof body === 'string' ? encode(encoder, body).length : body && (body.byteLength ?? body.size) || 0;
  const reportRequest = (kind, url, body) => {
    const address = url instanceof PageRequest ? addressOf(url) : hrefOf(new PageURL(url, baseOf(frame)));
    report(kind, address, \`\${sizeOf(body)}\`);
  };
  after(window.Navigator, 'sendBeacon', (_, given, isQueued) => { if (isQueued) reportRequest('beacon', given[0], given[1]); });
  for (const name of ['fetch', 'fetchLater']) {
    const original = window[name];
    if (typeof original === 'function') window[name] = { [name](...given) {
      const result = apply(original, this, given);
      try {
        const { keepalive, body } = given[1] || { __proto__: null };
        if (name === 'fetchLater' || keepalive) reportRequest(name === 'fetch' ? 'kept_fetch' : 'fetch_later', given[0], body);
      } catch {}
      return result;
    } }[name];
  }
  const written = new WeakSet();
  const [add, has] = ['add', 'has'].map((name) => method(WeakSet, name));
  const watchCanvas = (canvasType, contextType, calls, prefix) => {
    if (!canvasType || !contextType) return;
    const canvasOf = getter(contextType, 'canvas');
    const [widthOf, heightOf] = ['width', 'height'].map((name) => getter(canvasType, name));
    for (const name of ['fillText', 'strokeText']) after(contextType, name, (context) => add(written, canvasOf(context)));
    const read = (canvas, call) => {
      if (has(written, canvas) && widthOf(canvas) >= ${CANVAS_PIXELS_MIN} && heightOf(canvas) >= ${CANVAS_PIXELS_MIN}) report('canvas', prefix + call);
    };
    for (const call of calls) after(canvasType, call, (canvas) => read(canvas, call));
    after(contextType, 'getImageData', (context) => read(canvasOf(context), 'getImageData'));
  };
  watchCanvas(window.HTMLCanvasElement, window.CanvasRenderingContext2D, ['toDataURL', 'toBlob'], 'canvas.');
  watchCanvas(window.OffscreenCanvas, window.OffscreenCanvasRenderingContext2D, ['convertToBlob'], 'OffscreenCanvas.');
  // The name of the graphics chip and its driver, of the extension WEBGL_debug_renderer_info.
  for (const type of [window.WebGLRenderingContext, window.WebGL2RenderingContext])
    after(type, 'getParameter', (_, given) => { if (given[0] === 0x9245 || given[0] === 0x9246) report('webgl', 'WebGL.getParameter'); });
  after(window.NavigatorUAData, 'getHighEntropyValues', () => report('client_hints', 'NavigatorUAData.getHighEntropyValues'));
  after(window.OfflineAudioContext, 'startRendering', () => report('audio', 'OfflineAudioContext.startRendering'));
  after(window.RTCPeerConnection, 'createOffer', () => report('webrtc', 'RTCPeerConnection.createOffer'));
})();`;
}

/** The report in a message of the console; null: it is none. */
export function readReport(message: string, key: string): HookReport | null {
  if (!message.startsWith(key)) return null;
  const parts: unknown = JSON.parse(message.slice(key.length));
  if (!Array.isArray(parts)) return null;
  const [named, name, source, value, wasRead, origin] = parts as unknown[];
  const kind = KINDS.find((each) => each === named);
  if (kind === undefined || typeof name !== 'string') return null;
  return {
    kind,
    name: name.slice(0, TEXT_MAX),
    wasRead: wasRead === true,
    host: typeof origin === 'string' && URL.canParse(origin) ? new URL(origin).host : '',
    value: typeof value === 'string' ? value.slice(0, REPORTED_CHARACTERS_MAX) : '',
    source: typeof source === 'string' && source !== '' ? source : null,
  };
}
