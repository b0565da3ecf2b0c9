import type { Frame, Request, Response } from 'playwright-core';
import {
  cut,
  isThirdParty,
  type ItemDetails,
  maskUrl,
  maskValue,
  type ObservedItem,
} from '../../modules/scans/domain/observation.js';
import { type CookieTrace, readCookieText, type SentCookie } from './cookie-items.js';
import type { Header } from './har.js';
import { type HookReport, REPORTED_CHARACTERS_MAX } from './page-hooks.js';
import type { FrameStorage } from './page-script.js';

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

const STORAGE_KINDS = ['local_storage', 'session_storage', 'indexed_db'] as const;
type StorageKind = (typeof STORAGE_KINDS)[number];

/** The stored data of a frame at `host`. */
export interface FrameContent extends FrameStorage {
  host: string;
}

interface StorageTraces {
  pageHost: string;
  reports: readonly HookReport[];
  /** Values of the entries that earlier pages of the profile left. null: other pages were open, too. */
  known: StoredEntries | null;
}

/** Entries and databases of all frames that are open, each once: frames of one origin share their storage. */
export function storageItems(
  frames: readonly FrameContent[],
  { pageHost, reports, known }: StorageTraces,
): ObservedItem[] {
  const stored = new Map<string, ObservedItem>();
  for (const { kind, name, host, value } of frames.flatMap(entriesIn)) {
    const trace = traceOf(reports, { kind, name, host, value });
    // A page without others in its profile has set all new items.
    const isSet = trace !== null || known?.isNew({ kind, name, host, value }) === true;
    const initiator = placeOf(trace?.source ?? null);
    stored.set(keyOf({ kind, name, host }), {
      kind,
      name: cut(name),
      host,
      thirdParty: isThirdParty(host, pageHost),
      details: {
        ...(value !== null && maskValue(value)),
        ...(isSet && { setBy: 'script' as const }),
        ...(initiator !== null && { initiator }),
      },
    });
  }
  return [...stored.values(), ...removedItems(reports, { pageHost, stored })];
}

/** Entries that scripts set and that are deleted at the end. */
function removedItems(
  reports: readonly HookReport[],
  { pageHost, stored }: { pageHost: string; stored: ReadonlyMap<string, ObservedItem> },
): ObservedItem[] {
  const items = reports.flatMap(({ kind, name, host, value, source }): [string, ObservedItem][] => {
    if (!isStorageKind(kind) || host === '' || stored.has(keyOf({ kind, name, host }))) return [];
    const initiator = placeOf(source);
    const item: ObservedItem = {
      kind,
      name: cut(name),
      host,
      thirdParty: isThirdParty(host, pageHost),
      details: {
        setBy: 'script',
        removed: true,
        ...(kind !== 'indexed_db' && value.length < REPORTED_CHARACTERS_MAX && maskValue(value)),
        ...(initiator !== null && { initiator }),
      },
    };
    return [[keyOf({ kind, name, host }), item]];
  });
  return [...new Map(items).values()];
}

interface Entry {
  kind: StorageKind;
  name: string;
  host: string;
  /** null: a database. */
  value: string | null;
}

function entriesIn({ host, local, session, databases }: FrameContent): Entry[] {
  return [
    ...local.map(([name, value]) => ({ kind: 'local_storage' as const, name, host, value })),
    ...session.map(([name, value]) => ({ kind: 'session_storage' as const, name, host, value })),
    ...databases.map((name) => ({ kind: 'indexed_db' as const, name, host, value: null })),
  ];
}

/** What set an entry: the last report with its value, otherwise the last one of its name in its origin. */
function traceOf(reports: readonly HookReport[], { kind, name, host, value }: Entry): HookReport | null {
  const possible = reports.filter(
    (report) => report.kind === kind && report.name === name && report.host === host,
  );
  return possible.findLast((report) => report.value === value) ?? possible.at(-1) ?? null;
}

/**
 * The data that the pages of a profile left in it so far. Session storage belongs to a tab and is
 * not included.
 */
export class StoredEntries {
  private readonly values = new Map<string, string | null>();

  add(frames: readonly FrameContent[]): void {
    for (const { value, ...entry } of frames.flatMap(entriesIn))
      if (entry.kind !== 'session_storage')
        this.values.set(keyOf(entry), value && maskValue(value).valueHash);
  }

  isNew({ value, ...entry }: Entry): boolean {
    return this.values.get(keyOf(entry)) !== (value && maskValue(value).valueHash);
  }
}

function isStorageKind(kind: HookReport['kind']): kind is StorageKind {
  return STORAGE_KINDS.some((each) => each === kind);
}

function keyOf({ kind, name, host }: Pick<Entry, 'kind' | 'name' | 'host'>): string {
  return JSON.stringify([kind, host, cut(name)]);
}
