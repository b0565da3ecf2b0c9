import { isIP } from 'node:net';
import type { Cookie } from 'playwright-core';
import { cut, isThirdParty, maskValue, type ObservedItem } from '../../modules/scans/domain/observation.js';

/** Cookies as the browser keeps them; Playwright's type does not name the partition. */
export type StoredCookie = Cookie & { partitionKey?: string };

/** The cookies of a profile before and after something was observed. */
export interface ProfileCookies {
  before: readonly StoredCookie[];
  after: readonly StoredCookie[];
  /** Whether other pages of the profile were open, so that a new cookie may be theirs. */
  shared?: boolean;
}

/** A cookie that the browser did not store. */
export interface BlockedCookie {
  name: string;
  /** Empty: unknown. */
  domain: string;
  reason: string;
}

/** A cookie set by a script or a response, from its text. */
export interface CookieTrace {
  name: string;
  value: string;
  /** As browsers keep it: with a leading dot if the text names one, otherwise the host. */
  domain: string;
  /** null: the text names none. */
  path: string | null;
  by: 'response' | 'script';
  /** Host and path of the script or response; null: unknown. */
  source: string | null;
  /** Whether a script could read it directly after it was set. */
  wasRead: boolean;
}

/** A cookie that a request sent. */
export interface SentCookie {
  host: string;
  path: string;
  name: string;
}

interface CookieTraces {
  pageHost: string;
  /** Hosts of the page's frames: only their scripts can set cookies, and only of their domains. */
  frameHosts: readonly string[];
  /** What set cookies on this page, in order. */
  set: readonly CookieTrace[];
  /** What requests of this page sent. */
  sent: readonly SentCookie[];
}

/** The cookie that the text of a `Set-Cookie` header or of a script sets; null: it deletes a cookie. */
export function readCookieText(
  text: string,
  host: string,
): Pick<CookieTrace, 'name' | 'value' | 'domain' | 'path'> | null {
  const [pair = '', ...attributes] = text.split(';');
  const given = new Map(
    attributes.map((each) => {
      const [name = '', ...value] = each.split('=');
      return [name.trim().toLowerCase(), value.join('=').trim()];
    }),
  );
  const age = given.get('max-age');
  const expires = given.get('expires');
  const isPast =
    age === undefined ? expires !== undefined && Date.parse(expires) <= Date.now() : Number(age) <= 0;
  if (isPast) return null;
  const at = pair.indexOf('=');
  const bare = host.replace(/:\d+$/, '');
  const domain = (given.get('domain') ?? '').replace(/^\./, '').toLowerCase();
  const path = given.get('path') ?? '';
  return {
    name: (at < 0 ? '' : pair.slice(0, at)).trim(),
    value: pair.slice(at + 1).trim(),
    // A literal address has no subdomains.
    domain: domain === '' || isIP(bare) !== 0 ? bare : `.${domain}`,
    path: path.startsWith('/') ? path : null,
  };
}

/** Cookies that a page set or changed, and cookies that its requests sent. */
export function cookieItems(
  { before, after, shared = false }: ProfileCookies,
  { pageHost, frameHosts, set, sent }: CookieTraces,
): ObservedItem[] {
  const known = new Map(before.map((cookie) => [cookieKey(cookie), cookie]));
  const stored = after.flatMap((cookie): ObservedItem[] => {
    const former = known.get(cookieKey(cookie));
    const isNew = former?.value !== cookie.value || former.expires !== cookie.expires;
    const trace = traceOf(cookie, set, isNew);
    const isSet = trace !== null || (isNew && !shared);
    const isSent = sent.some((each) => each.name === cookie.name && isFor(each, cookie));
    if (!isSet && !isSent) return [];
    const item = presentItem(cookie, pageHost);
    const isScriptable =
      !cookie.httpOnly && [pageHost, ...frameHosts].some((host) => isOnDomain(host, cookie.domain));
    const setBy = trace?.by ?? (isScriptable ? 'script' : 'response');
    return [
      {
        ...item,
        details: {
          ...item.details,
          sent: isSent,
          ...(isSet && { setBy }),
          ...(trace !== null && trace.source !== null && { initiator: trace.source }),
        },
      },
    ];
  });
  return [...stored, ...removedItems(after, { pageHost, set, sent })];
}

/** Cookies that are in the profile, without a page that set or sent them. */
export function presentItems(cookies: readonly StoredCookie[], pageHost: string): ObservedItem[] {
  return cookies.map((cookie) => presentItem(cookie, pageHost));
}

function presentItem(cookie: StoredCookie, pageHost: string): ObservedItem {
  const { name, value, domain, path, expires, httpOnly, secure, sameSite, partitionKey = '' } = cookie;
  return {
    kind: 'cookie',
    name: cut(name),
    host: cut(domain),
    thirdParty: isThirdParty(domain, pageHost),
    details: {
      path: cut(path),
      httpOnly,
      secure,
      sameSite,
      sent: false,
      partitioned: partitionKey !== '',
      ...(expires > 0 && { expiresAt: new Date(expires * 1000).toISOString() }),
      ...maskValue(value),
    },
  };
}

/** What set a cookie: the last one with its value, otherwise the last one where the cookie changed. */
function traceOf(cookie: StoredCookie, set: readonly CookieTrace[], isNew: boolean): CookieTrace | null {
  const possible = set.filter(
    (trace) => isOf(trace, cookie) && (trace.by === 'response' || !cookie.httpOnly),
  );
  const exact = possible.findLast(({ value }) => value === cookie.value);
  return exact ?? (isNew ? possible.at(-1) : undefined) ?? null;
}

/**
 * Cookies that were set on the page and deleted before its end, if a script read or a request sent
 * them in between.
 */
function removedItems(
  after: readonly StoredCookie[],
  { pageHost, set, sent }: Omit<CookieTraces, 'frameHosts'>,
): ObservedItem[] {
  const gone = set.filter((trace) => !after.some((cookie) => isOf(trace, cookie)));
  const items = gone.flatMap((trace): ObservedItem[] => {
    const { name, value, domain, path, by, source, wasRead } = trace;
    const isSent = sent.some((each) => each.name === name && isFor(each, { domain, path: path ?? '/' }));
    if (!wasRead && !isSent) return [];
    return [
      {
        kind: 'cookie',
        name: cut(name),
        host: cut(domain),
        thirdParty: isThirdParty(domain, pageHost),
        details: {
          setBy: by,
          sent: isSent,
          removed: true,
          ...maskValue(value),
          ...(source !== null && { initiator: source }),
        },
      },
    ];
  });
  return [...new Map(items.map((item) => [`${item.host} ${item.name}`, item])).values()];
}

/** Whether a text that sets a cookie is about this one. */
function isOf({ name, domain, path }: CookieTrace, cookie: StoredCookie): boolean {
  return name === cookie.name && domain === cookie.domain && (path === null || path === cookie.path);
}

/** Whether a request to a host and path sends cookies of a domain and path. */
function isFor({ host, path }: SentCookie, cookie: { domain: string; path: string }): boolean {
  const folder = cookie.path.endsWith('/') ? cookie.path : `${cookie.path}/`;
  return isOnDomain(host, cookie.domain) && (path === cookie.path || path.startsWith(folder));
}

function isOnDomain(host: string, domain: string): boolean {
  const bare = host.replace(/:\d+$/, '');
  return bare === domain || (domain.startsWith('.') && `.${bare}`.endsWith(domain));
}

/** Cookies of responses that the browser did not store, each once. */
export function blockedItems(blocked: readonly BlockedCookie[], pageHost: string): ObservedItem[] {
  const items = blocked.map(({ name, domain, reason }): ObservedItem => {
    const host = cut(domain === '' ? pageHost : domain);
    return {
      kind: 'cookie',
      name: cut(name),
      host,
      thirdParty: isThirdParty(host, pageHost),
      details: { setBy: 'response', blocked: reason },
    };
  });
  return [...new Map(items.map((item) => [`${item.host} ${item.name}`, item])).values()];
}

/** Cookies that are new in a profile, and that no page has an item of. */
export function unattributed(
  { before, after }: ProfileCookies,
  items: readonly ObservedItem[],
): StoredCookie[] {
  const known = new Map(before.map((cookie) => [cookieKey(cookie), cookie.value]));
  const seen = new Set(
    items.filter(({ kind }) => kind === 'cookie').map(({ name, host }) => `${host} ${name}`),
  );
  return after.filter(
    (cookie) =>
      known.get(cookieKey(cookie)) !== cookie.value && !seen.has(`${cut(cookie.domain)} ${cut(cookie.name)}`),
  );
}

function cookieKey({ name, domain, path, partitionKey = '' }: StoredCookie): string {
  return JSON.stringify([name, domain, path, partitionKey]);
}
