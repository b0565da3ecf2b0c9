import { type MaskedValue, maskValue } from '../../modules/scans/domain/observation.js';

/** These headers contain nothing about a visitor; of all others only length and hash are kept. */
const PLAIN_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'accept-ranges',
  'age',
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'dnt',
  'expires',
  'host',
  'last-modified',
  'pragma',
  'priority',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'sec-gpc',
  'sec-ch-ua',
  'sec-ch-ua-mobile',
  'sec-ch-ua-platform',
  'server',
  'strict-transport-security',
  'transfer-encoding',
  'upgrade-insecure-requests',
  'user-agent',
  'vary',
  'x-content-type-options',
  'x-frame-options',
  'referrer-policy',
  'origin',
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'content-security-policy',
]);
const ADDRESS_HEADERS = new Set(['referer', 'location', 'content-location']);
/** Attributes of `Set-Cookie`, which stay readable. */
const COOKIE_ATTRIBUTE = /^(path|domain|expires|max-age|secure|httponly|samesite|partitioned|priority)\b/i;

export interface Header {
  name: string;
  value: string;
}

/** A request with its response, as the browser reported it: not masked. */
export interface RecordedExchange {
  page: number;
  startedAt: Date;
  method: string;
  url: string;
  /** As the browser names it, e.g. `script`. */
  type: string;
  /** Host and path of what caused it; null: unknown. */
  initiator: string | null;
  requestHeaders: readonly Header[];
  body: MaskedValue | null;
  bodyType: string;
  /** null: none arrived. */
  status: number | null;
  statusText: string;
  responseHeaders: readonly Header[];
  /** In milliseconds; -1: unknown. */
  durationMs: number;
}

export interface HarPage {
  number: number;
  url: string;
  startedAt: Date;
}

/** An HTTP archive (HAR 1.2) of pages. It has no contents, and values are masked. */
export function toHar(
  { browser, scanner }: { browser: string; scanner: string },
  pages: readonly HarPage[],
  exchanges: readonly RecordedExchange[],
): object {
  const [name = browser, version = ''] = browser.split(/ (?=\d)/);
  return {
    log: {
      version: '1.2',
      creator: { name: scanner, version: '1.0' },
      browser: { name, version },
      pages: pages.map(({ number, url, startedAt }) => ({
        id: pageId(number),
        startedDateTime: startedAt.toISOString(),
        title: maskAddress(url),
        pageTimings: {},
      })),
      entries: exchanges.map(toEntry),
    },
  };
}

function toEntry(exchange: RecordedExchange): object {
  const { method, url, body, bodyType, status, durationMs, requestHeaders, responseHeaders } = exchange;
  const time = Math.max(0, durationMs);
  return {
    pageref: pageId(exchange.page),
    startedDateTime: exchange.startedAt.toISOString(),
    time,
    request: {
      method,
      url: maskAddress(url),
      httpVersion: '',
      headersSize: -1,
      cookies: [],
      headers: requestHeaders.map(maskHeader),
      queryString: queryOf(url),
      ...(body !== null && {
        postData: { mimeType: bodyType, text: masked(body), params: [] },
      }),
      bodySize: body?.valueLength ?? 0,
    },
    response: {
      status: status ?? 0,
      statusText: exchange.statusText,
      httpVersion: '',
      headersSize: -1,
      cookies: [],
      headers: responseHeaders.map(maskHeader),
      content: { size: -1, mimeType: valueOf(responseHeaders, 'content-type') },
      redirectURL: maskAddress(valueOf(responseHeaders, 'location'), url),
      bodySize: -1,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    _resourceType: exchange.type,
    ...(exchange.initiator !== null && { _initiator: exchange.initiator }),
  };
}

/** An address whose query values are masked; a fragment is left out. Empty: not an address. */
export function maskAddress(text: string, base?: string): string {
  if (text === '' || !URL.canParse(text, base)) return '';
  const url = new URL(text, base);
  if (!/^(https?|wss?):$/.test(url.protocol)) return `${url.protocol}…`;
  const query = [...url.searchParams].map(
    ([name, value]) => `${encodeURIComponent(name)}=${maskedText(value)}`,
  );
  return `${url.protocol}//${url.host}${url.pathname}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

function queryOf(text: string): Header[] {
  if (!URL.canParse(text)) return [];
  return [...new URL(text).searchParams].map(([name, value]) => ({ name, value: maskedText(value) }));
}

export function maskHeader({ name, value }: Header): Header {
  const lower = name.toLowerCase();
  if (lower === 'cookie') return { name, value: value.split('; ').map(maskPair).join('; ') };
  if (lower === 'set-cookie') return { name, value: value.split('\n').map(maskSetCookie).join('\n') };
  if (ADDRESS_HEADERS.has(lower)) return { name, value: maskAddress(value) || maskedText(value) };
  return { name, value: PLAIN_HEADERS.has(lower) ? value : maskedText(value) };
}

function maskSetCookie(line: string): string {
  const [pair = '', ...attributes] = line.split(/;\s*/);
  return [maskPair(pair), ...attributes.filter((each) => COOKIE_ATTRIBUTE.test(each))].join('; ');
}

function maskPair(pair: string): string {
  const at = pair.indexOf('=');
  return at < 0 ? maskedText(pair) : `${pair.slice(0, at)}=${maskedText(pair.slice(at + 1))}`;
}

function maskedText(value: string): string {
  return masked(maskValue(value));
}

/** `6:a1b2c3d4`: characters of the value, and the beginning of its SHA-256. */
function masked({ valueLength, valueHash }: MaskedValue): string {
  return `${valueLength}:${valueHash}`;
}

function valueOf(headers: readonly Header[], name: string): string {
  return headers.find((header) => header.name.toLowerCase() === name)?.value ?? '';
}

function pageId(number: number): string {
  return `page_${number}`;
}
