/** Longest list that a page may hand over. */
const LIST_MAX = 500;

/**
 * Runs in the page: its links, its canonical address and its scripts. The result comes from a page that is not trusted
 * and is checked by `readFacts`. As text, because it is no code of this process.
 */
export const PAGE_FACTS_SCRIPT = `(() => {
  const list = (selector, property) =>
    [...document.querySelectorAll(selector)].slice(0, ${LIST_MAX}).map((each) => String(each[property]));
  return {
    links: list('a[href]', 'href'),
    canonical: list('link[rel="canonical"][href]', 'href'),
    scripts: list('script[src]', 'src'),
  };
})()`;

/** Runs in each frame: names and values of its storages. */
export const STORAGE_SCRIPT = `(() => {
  const entries = (name) => {
    try { return Object.entries(window[name]).slice(0, ${LIST_MAX}).map(([key, value]) => [key, String(value)]); } catch { return []; }
  };
  return { local: entries('localStorage'), session: entries('sessionStorage') };
})()`;

export interface PageFacts {
  links: string[];
  canonical: string[];
  scripts: string[];
}

export interface FrameStorage {
  local: [string, string][];
  session: [string, string][];
}

export function readFacts(value: unknown): PageFacts {
  const { links, canonical, scripts } = members(value);
  return { links: texts(links), canonical: texts(canonical), scripts: texts(scripts) };
}

export function readStorage(value: unknown): FrameStorage {
  const { local, session } = members(value);
  return { local: pairs(local), session: pairs(session) };
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
