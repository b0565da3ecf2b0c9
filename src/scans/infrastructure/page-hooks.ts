/** Reports that a page may send before the rest is ignored. */
const REPORTS_MAX = 500;
const TEXT_MAX = 300;
/** A smaller canvas cannot identify a device. */
const CANVAS_PIXELS_MIN = 16;

/** What page scripts did, as the hooks report it. */
export interface HookReport {
  kind: 'cookie' | 'storage' | 'service_worker' | 'canvas' | 'audio' | 'webrtc';
  /** Of the cookie or entry; the worker's address; the call. */
  name: string;
  /** Address of the script; null: unknown. */
  source: string | null;
}

const KINDS: ReadonlySet<string> = new Set<HookReport['kind']>([
  'cookie',
  'storage',
  'service_worker',
  'canvas',
  'audio',
  'webrtc',
]);

/**
 * Runs in each frame before its scripts: reports which script sets cookies and entries, and calls that can identify a
 * device. `binding` is the name of the function that takes the reports; the page does not get to see it. As text, because
 * it is no code of this process.
 */
export function hooksScript(binding: string): string {
  return `(() => {
  const send = window[${JSON.stringify(binding)}];
  if (typeof send !== 'function') return;
  try { delete window[${JSON.stringify(binding)}]; } catch {}
  const seen = new Set();
  const report = (kind, name) => {
    if (seen.size >= ${REPORTS_MAX}) return;
    try {
      const source = (/https?:\\/\\/[^\\s()]+/.exec(String(new Error().stack)) || [''])[0].replace(/(:\\d+){1,2}$/, '');
      const key = kind + ' ' + name + ' ' + source;
      if (seen.has(key)) return;
      seen.add(key);
      Promise.resolve(send({ kind, name: String(name).slice(0, ${TEXT_MAX}), source: source.slice(0, 1000) })).catch(() => {});
    } catch {}
  };
  const before = (owner, name, action) => {
    const original = owner && owner.prototype && owner.prototype[name];
    if (typeof original !== 'function') return;
    owner.prototype[name] = { [name](...given) {
      try { action(this, given); } catch {}
      return original.apply(this, given);
    } }[name];
  };
  const deletes = (text) => {
    const age = /;\\s*max-age\\s*=\\s*(-?\\d+)/i.exec(text);
    if (age) return Number(age[1]) <= 0;
    const expires = /;\\s*expires\\s*=([^;]*)/i.exec(text);
    return expires !== null && Date.parse(expires[1]) <= Date.now();
  };
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  if (cookie && cookie.set) Object.defineProperty(Document.prototype, 'cookie', {
    ...cookie,
    set(value) {
      if (!deletes(String(value))) report('cookie', String(value).split('=')[0].trim());
      cookie.set.call(this, value);
    },
  });
  before(window.CookieStore, 'set', (_, [given]) => report('cookie', given && typeof given === 'object' ? given.name : given));
  before(window.Storage, 'setItem', (_, [name]) => report('storage', name));
  try {
    // The browser's own function is replaced by one that starts no worker.
    const workers = navigator.serviceWorker;
    const register = workers.register;
    workers.register = function (...given) {
      try { report('service_worker', new URL(given[0], location.href).href); } catch {}
      return register.apply(this, given);
    };
  } catch {}
  const written = new WeakSet();
  for (const name of ['fillText', 'strokeText'])
    before(window.CanvasRenderingContext2D, name, (context) => written.add(context.canvas));
  const read = (canvas, call) => {
    if (written.has(canvas) && canvas.width >= ${CANVAS_PIXELS_MIN} && canvas.height >= ${CANVAS_PIXELS_MIN}) report('canvas', call);
  };
  before(window.HTMLCanvasElement, 'toDataURL', (canvas) => read(canvas, 'canvas.toDataURL'));
  before(window.HTMLCanvasElement, 'toBlob', (canvas) => read(canvas, 'canvas.toBlob'));
  before(window.CanvasRenderingContext2D, 'getImageData', (context) => read(context.canvas, 'canvas.getImageData'));
  before(window.OfflineAudioContext, 'startRendering', () => report('audio', 'OfflineAudioContext.startRendering'));
  before(window.RTCPeerConnection, 'createOffer', () => report('webrtc', 'RTCPeerConnection.createOffer'));
})();`;
}

/** A report that may come from the page itself; null: it is none. */
export function readReport(value: unknown): HookReport | null {
  if (typeof value !== 'object' || value === null) return null;
  const { kind, name, source } = value as Record<string, unknown>;
  if (typeof kind !== 'string' || !KINDS.has(kind) || typeof name !== 'string') return null;
  return {
    kind: kind as HookReport['kind'],
    name: name.slice(0, TEXT_MAX),
    source: typeof source === 'string' && source !== '' ? source : null,
  };
}
