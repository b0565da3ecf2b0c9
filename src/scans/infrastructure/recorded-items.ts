import type { Request, Response } from 'playwright-core';
import type { Header } from '../domain/har.js';
import {
  cut,
  isThirdParty,
  type ItemDetails,
  maskUrl,
  maskValue,
  type ObservedItem,
} from '../domain/observation.js';
import type { HookReport } from './page-hooks.js';
import type { FrameStorage } from './page-script.js';

/** A request with what the browser knows of it. */
export interface Recorded {
  request: Request;
  response: Response | null;
  requestHeaders: Header[];
  responseHeaders: Header[];
  /** Host and path of the script or frame behind it; null: the page itself was requested. */
  initiator: string | null;
}

/** What a frame at `host` stores. */
export interface FrameContent extends FrameStorage {
  host: string;
}

export function cookiesSetByScripts(
  reports: readonly HookReport[],
): { name: string; by: 'script'; source: string | null }[] {
  return reports
    .filter(({ kind }) => kind === 'cookie')
    .map(({ name, source }) => ({ name, by: 'script', source: placeOf(source) }));
}

export function cookiesSetByResponses(
  recorded: readonly Recorded[],
): { name: string; by: 'response'; source: string | null }[] {
  return recorded.flatMap(({ request, responseHeaders }) =>
    responseHeaders
      .filter(({ name }) => name.toLowerCase() === 'set-cookie')
      .flatMap(({ value }) => value.split('\n'))
      .map((line) => ({
        name: line.split('=')[0]?.trim() ?? '',
        by: 'response' as const,
        source: placeOf(request.url()),
      })),
  );
}

/** Hosts and names of the cookies that requests sent. */
export function cookiesSent(recorded: readonly Recorded[]): { host: string; name: string }[] {
  return recorded.flatMap(({ request, requestHeaders }) => {
    const host = hostOf(request.url());
    return requestHeaders
      .filter(({ name }) => name.toLowerCase() === 'cookie')
      .flatMap(({ value }) => value.split(';'))
      .map((pair) => ({ host, name: pair.split('=')[0]?.trim() ?? '' }))
      .filter(({ name }) => name !== '');
  });
}

/** Entries and databases of the frames, each once: frames of one origin share their storage. */
export function storageItems(
  frames: readonly FrameContent[],
  reports: readonly HookReport[],
  pageHost: string,
): ObservedItem[] {
  const sources = new Map(
    reports.filter(({ kind }) => kind === 'storage').map(({ name, source }) => [name, placeOf(source)]),
  );
  const found = frames.flatMap(({ host, local, session, databases }) => {
    const thirdParty = isThirdParty(host, pageHost);
    const entries = (kind: 'local_storage' | 'session_storage', all: [string, string][]): ObservedItem[] =>
      all.map(([name, value]) => {
        const initiator = sources.get(name) ?? null;
        return {
          ...{ kind, name: cut(name), host, thirdParty },
          details: { ...maskValue(value), ...(initiator !== null && { initiator }) },
        };
      });
    return [
      ...entries('local_storage', local),
      ...entries('session_storage', session),
      ...databases.map((name): ObservedItem => ({
        ...{ kind: 'indexed_db', name: cut(name), host, thirdParty, details: {} },
      })),
    ];
  });
  return [...new Map(found.map((item) => [`${item.kind} ${item.host} ${item.name}`, item])).values()];
}

/** Calls that can identify a device, by the host of the script. */
export function fingerprintItems(reports: readonly HookReport[], pageHost: string): ObservedItem[] {
  const calls = reports.filter(({ kind }) => kind === 'canvas' || kind === 'audio' || kind === 'webrtc');
  return calls.map(({ kind, name, source }) => {
    const host = source === null ? pageHost : hostOf(source);
    const initiator = placeOf(source);
    return {
      ...{ kind: 'fingerprint', name, host, thirdParty: isThirdParty(host, pageHost) },
      details: { type: kind, ...(initiator !== null && { initiator }) },
    };
  });
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
      ...{ kind: 'request', name, host, thirdParty: isThirdParty(host, pageHost) },
      details: { ...known?.details, ...details, count },
    });
  };
  for (const { request, response, initiator } of recorded) {
    const bodyBytes = request.postDataBuffer()?.length ?? 0;
    add(request.url(), {
      ...{ method: request.method(), type: request.resourceType() },
      ...(initiator !== null && { initiator }),
      ...(response && { httpStatus: response.status() }),
      ...(bodyBytes > 0 && { bodyBytes }),
    });
  }
  for (const url of sockets) add(url, { method: 'GET', type: 'websocket' });
  for (const { name, source } of reports.filter(({ kind }) => kind === 'service_worker')) {
    const initiator = placeOf(source);
    add(name, { method: 'GET', type: 'service_worker', ...(initiator !== null && { initiator }) });
  }
  return [...items.values()];
}

/** Host and path of an address, without its query. */
export function placeOf(source: string | null): string | null {
  const masked = source === null ? null : maskUrl(source);
  return masked && cut(`${masked.host}${masked.name.split('?')[0] ?? ''}`);
}

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : '';
}
