/** Longest list that a page may hand over. */
const LIST_MAX = 500;
const CONSENT_TYPES_MAX = 20;

/**
 * Runs in the page: its links and its canonical address. The result is untrusted and checked by
 * `readFacts`. As text, because it does not run in this process.
 */
export const PAGE_FACTS_SCRIPT = `(() => {
  const list = (selector, property) =>
    [...document.querySelectorAll(selector)].slice(0, ${LIST_MAX}).map((each) => String(each[property]));
  return {
    links: list('a[href]', 'href'),
    canonical: list('link[rel="canonical"][href]', 'href'),
  };
})()`;

/** Runs in each frame: names and values of its storages, and names of its databases. */
export const STORAGE_SCRIPT = `(async () => {
  const entries = (name) => {
    try { return Object.entries(window[name]).slice(0, ${LIST_MAX}).map(([key, value]) => [key, String(value)]); } catch { return []; }
  };
  const databases = await Promise.resolve().then(() => indexedDB.databases()).catch(() => []);
  return {
    local: entries('localStorage'),
    session: entries('sessionStorage'),
    databases: databases.slice(0, ${LIST_MAX}).map(({ name }) => String(name)),
  };
})()`;

/**
 * Runs in the page: returns the names of its data layer's events in order, and only the values of
 * consent mode.
 */
export const CONSENT_EVENTS_SCRIPT = `(() => {
  const layer = Array.isArray(window.dataLayer) ? window.dataLayer.slice(0, ${LIST_MAX}) : [];
  return layer.flatMap((entry) => {
    if (typeof entry !== 'object' || entry === null) return [];
    if (entry[0] === 'consent') return [{ name: 'consent ' + String(entry[1]), consent: { ...entry[2] } }];
    if (entry[0] === 'event') return [{ name: String(entry[1]), consent: null }];
    return typeof entry.event === 'string' ? [{ name: entry.event, consent: null }] : [];
  });
})()`;

/** Runs in the page: scrolls to its end, in steps. */
export const SCROLL_SCRIPT = `(async () => {
  const end = () => Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0);
  for (let step = 0, at = 0; step < 25 && at < end(); step += 1) {
    at += innerHeight;
    window.scrollTo(0, at);
    await new Promise((next) => setTimeout(next, 60));
  }
})()`;

export interface PageFacts {
  links: string[];
  canonical: string[];
}

export interface FrameStorage {
  local: [string, string][];
  session: [string, string][];
  databases: string[];
}

/** An event of the data layer; `consent`: the values of consent mode; null: another event. */
export interface ConsentEvent {
  name: string;
  consent: Record<string, 'granted' | 'denied'> | null;
}

export function readFacts(value: unknown): PageFacts {
  const { links, canonical } = members(value);
  return { links: texts(links), canonical: texts(canonical) };
}

export function readStorage(value: unknown): FrameStorage {
  const { local, session, databases } = members(value);
  return { local: pairs(local), session: pairs(session), databases: texts(databases) };
}

export function readConsentEvents(value: unknown): ConsentEvent[] {
  return list(value).flatMap((each): ConsentEvent[] => {
    const { name, consent } = members(each);
    if (typeof name !== 'string') return [];
    const said = Object.entries(members(consent))
      .slice(0, CONSENT_TYPES_MAX)
      .flatMap(([type, state]): [string, 'granted' | 'denied'][] =>
        state === 'granted' || state === 'denied' ? [[type, state]] : [],
      );
    return [{ name, consent: said.length > 0 ? Object.fromEntries(said) : null }];
  });
}

function members(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, LIST_MAX) : [];
}

function texts(value: unknown): string[] {
  return list(value).filter((each) => typeof each === 'string');
}

function pairs(value: unknown): [string, string][] {
  return list(value).flatMap((each): [string, string][] =>
    Array.isArray(each) && typeof each[0] === 'string' && typeof each[1] === 'string'
      ? [[each[0], each[1]]]
      : [],
  );
}
