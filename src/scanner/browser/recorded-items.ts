import type { Frame, Request, Response } from 'playwright-core';
import type { Header } from './har.js';
import {
  cut,
  isThirdParty,
  type ItemDetails,
  maskUrl,
  type ObservedItem,
} from '../../modules/scans/domain/observation.js';
import { type CookieTrace, readCookieText, type SentCookie } from './cookie-items.js';
import type { HookReport } from './page-hooks.js';

/** A request with the browser's data about it. */
export interface Recorded {
  request: Request;
  response: Response | null;
  requestHeaders: Header[];
  responseHeaders: Header[];
  /** Host and path of the script or frame behind it; null: the page itself was requested. */
  initiator: string | null;
}

export function cookiesSetByScripts(reports: readonly HookReport[]): CookieTrace[] {
  return reports
    .filter(({ kind }) => kind === 'cookie')
    .flatMap(({ host, value, source, wasRead }) => {
      const cookie = readCookieText(value, host);
      return cookie ? [{ ...cookie, by: 'script' as const, source: placeOf(source), wasRead }] : [];
    });
}

/** A response that may set cookies: of a request, or the handshake of a WebSocket. */
export interface SettingResponse {
  url: string;
  headers: readonly Header[];
}

export function cookiesSetByResponses(responses: readonly SettingResponse[]): CookieTrace[] {
  return responses.flatMap(({ url, headers }) =>
    headers
      .filter(({ name }) => name.toLowerCase() === 'set-cookie')
      .flatMap(({ value }) => value.split('\n'))
      .flatMap((line) => {
        const cookie = readCookieText(line, hostOf(url));
        return cookie ? [{ ...cookie, by: 'response' as const, source: placeOf(url), wasRead: false }] : [];
      }),
  );
}

/** The cookies that requests sent. */
export function cookiesSent(recorded: readonly Recorded[]): SentCookie[] {
  return recorded.flatMap(({ request, requestHeaders }) => {
    if (!URL.canParse(request.url())) return [];
    const { host, pathname: path } = new URL(request.url());
    return requestHeaders
      .filter(({ name }) => name.toLowerCase() === 'cookie')
      .flatMap(({ value }) => value.split(';'))
      .map((pair) => ({ host, path, name: pair.split('=')[0]?.trim() ?? '' }))
      .filter(({ name }) => name !== '');
  });
}

const FINGERPRINTS: ReadonlySet<HookReport['kind']> = new Set([
  'canvas',
  'audio',
  'webrtc',
  'webgl',
  'client_hints',
]);

/** Calls that can identify a device, by the host of the script. */
export function fingerprintItems(reports: readonly HookReport[], pageHost: string): ObservedItem[] {
  const calls = reports.filter(({ kind }) => FINGERPRINTS.has(kind));
  return calls.map(({ kind, name, source }) => {
    const host = source === null ? pageHost : hostOf(source);
    const initiator = placeOf(source);
    return {
      kind: 'fingerprint',
      name,
      host,
      thirdParty: isThirdParty(host, pageHost),
      details: { type: kind, ...(initiator !== null && { initiator }) },
    };
  });
}

/**
 * Requests that the hooks report: the browser's log lacks workers that do not start, and requests
 * at the end of a page.
 */
const REPORTED_REQUESTS: Partial<Record<HookReport['kind'], { method: string; type: string }>> = {
  service_worker: { method: 'GET', type: 'service_worker' },
  beacon: { method: 'POST', type: 'ping' },
  kept_fetch: { method: 'POST', type: 'fetch' },
  fetch_later: { method: 'POST', type: 'fetch_later' },
};

function isRecorded(recorded: readonly Recorded[], url: string): boolean {
  return recorded.some(({ request }) => request.url() === url);
}

/** Requests, web sockets, and service workers that the page would have started. */
export function requestItems(
  {
    recorded,
    sockets,
    reports,
  }: { recorded: readonly Recorded[]; sockets: readonly string[]; reports: readonly HookReport[] },
  pageHost: string,
): ObservedItem[] {
  const items = new Map<string, ObservedItem>();
  const add = (url: string, details: ItemDetails): void => {
    const masked = maskUrl(url);
    if (!masked) return;
    const { host, name } = masked;
    const key = [details.method, details.type, host, name].join(' ');
    const known = items.get(key);
    const count = (known?.details.count ?? 0) + 1;
    items.set(key, {
      kind: 'request',
      name,
      host,
      thirdParty: isThirdParty(host, pageHost),
      details: { ...known?.details, ...details, count },
    });
  };
  for (const { request, response, initiator } of recorded) {
    const bodyBytes = request.postDataBuffer()?.length ?? 0;
    add(request.url(), {
      method: request.method(),
      type: request.resourceType(),
      ...(initiator !== null && { initiator }),
      ...(response && { httpStatus: response.status() }),
      ...(bodyBytes > 0 && { bodyBytes }),
    });
  }
  for (const url of sockets) add(url, { method: 'GET', type: 'websocket' });
  for (const { kind, name, source, value } of reports) {
    const reported = REPORTED_REQUESTS[kind];
    if (!reported || isRecorded(recorded, name)) continue;
    const initiator = placeOf(source);
    const bodyBytes = Number(value);
    add(name, {
      ...reported,
      ...(initiator !== null && { initiator }),
      ...(bodyBytes > 0 && { bodyBytes }),
    });
  }
  return [...items.values()];
}

/** Host and path of an address, without its query. */
export function placeOf(source: string | null): string | null {
  const masked = source === null ? null : maskUrl(source);
  return masked && cut(`${masked.host}${masked.name.split('?')[0] ?? ''}`);
}

/** Host of the origin in which a frame stores; empty: it has none. A frame without an address has that of its parent. */
export function storageHostOf(frame: Frame): string {
  const parent = frame.parentFrame();
  const hasAddress = !/^about:/.test(frame.url()) && frame.url() !== '';
  if (!hasAddress && parent) return storageHostOf(parent);
  return URL.canParse(frame.url()) ? hostOf(new URL(frame.url()).origin) : '';
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
