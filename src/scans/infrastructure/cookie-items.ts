import type { Cookie } from 'playwright-core';
import { cut, isThirdParty, maskValue, type ObservedItem } from '../domain/observation.js';

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

interface CookieTraces {
  pageHost: string;
  /** What set cookies on this page; scripts first. */
  set: readonly { name: string; by: 'response' | 'script'; source: string | null }[];
  /** What requests of this page sent. */
  sent: readonly { host: string; name: string }[];
}

/** Cookies that a page set or changed, and those that its requests sent. */
export function cookieItems(
  { before, after, shared = false }: ProfileCookies,
  { pageHost, set, sent }: CookieTraces,
): ObservedItem[] {
  const known = new Map(before.map((cookie) => [cookieKey(cookie), cookie]));
  return after.flatMap((cookie): ObservedItem[] => {
    const former = known.get(cookieKey(cookie));
    const isNew = former?.value !== cookie.value || former.expires !== cookie.expires;
    const trace =
      set.find(({ name, by }) => name === cookie.name && (by === 'response' || !cookie.httpOnly)) ?? null;
    const isSet = isNew && (trace !== null || !shared);
    const isSent = sent.some(({ host, name }) => name === cookie.name && isOnDomain(host, cookie.domain));
    if (!isSet && !isSent) return [];
    const { path, httpOnly, secure, sameSite } = cookie;
    return [
      {
        kind: 'cookie',
        name: cut(cookie.name),
        host: cut(cookie.domain),
        thirdParty: isThirdParty(cookie.domain, pageHost),
        details: {
          ...{ path: cut(path), httpOnly, secure, sameSite, sent: isSent },
          partitioned: (cookie.partitionKey ?? '') !== '',
          ...(cookie.expires > 0 && { expiresAt: new Date(cookie.expires * 1000).toISOString() }),
          ...(isSet && { setBy: trace?.by ?? ('script' as const) }),
          ...(isSet && trace !== null && trace.source !== null && { initiator: trace.source }),
          ...maskValue(cookie.value),
        },
      },
    ];
  });
}

/** Cookies of responses that the browser did not store, each once. */
export function blockedItems(blocked: readonly BlockedCookie[], pageHost: string): ObservedItem[] {
  const items = blocked.map(({ name, domain, reason }): ObservedItem => {
    const host = cut(domain === '' ? pageHost : domain);
    return {
      ...{ kind: 'cookie', name: cut(name), host, thirdParty: isThirdParty(host, pageHost) },
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

function isOnDomain(host: string, domain: string): boolean {
  const bare = host.replace(/:\d+$/, '');
  return bare === domain || (domain.startsWith('.') && `.${bare}`.endsWith(domain));
}
