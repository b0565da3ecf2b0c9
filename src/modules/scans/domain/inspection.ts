import type { Classification } from './classify-item.js';
import { isThirdParty } from './observation.js';
import type { ScanItemView, ScanPageView, ScanView } from './scan-view.js';
import { SCAN_LOCALE } from './scanner.js';

/** The source of an inspection: a scan in one of its states. */
export interface InspectionSource {
  scan: ScanView;
  /** In the order in which they were visited. */
  pages: readonly ScanPageView[];
  items: readonly ScanItemView[];
  version: string;
}

type HostGroup = Record<'firstParty' | 'thirdParty', string[]>;

const DAY_MS = 86_400_000;
const TITLE = 'Website Evidence Collection';

/**
 * An `inspection.json` of the EDPS Website Evidence Collector (format of its version 2.1). What scans do not collect is
 * empty: beacons by filter lists, links, web sockets, unsafe forms, and checks of TLS. Values are masked.
 */
export function inspectionOf({ scan, pages, items, version }: InspectionSource): Record<string, unknown> {
  const visited = pages.filter(({ status }) => status === 'visited');
  const [first] = visited;
  const entry = scan.urls[0] ?? '';
  const destination = first?.finalUrl ?? first?.url ?? entry;
  const host = URL.canParse(entry) ? new URL(entry).hostname : '';
  const urls = new Map(pages.map(({ number, url }) => [number, url]));
  const of = (kind: ScanItemView['kind']): ScanItemView[] => items.filter((item) => item.kind === kind);
  const cookies = of('cookie').filter(({ details }) => details.blocked === undefined);
  const startedAt = scan.startedAt ?? scan.createdAt;
  return {
    title: TITLE,
    task_description: null,
    uri_ins: entry,
    uri_refs: [entry],
    uri_dest: destination,
    uri_redirects: destination === entry ? [] : [entry],
    secure_connection: {
      https_redirect: null,
      redirects: [],
      https_support: entry.startsWith('https:'),
      https_error: null,
      http_error: null,
    },
    testSSLError: null,
    testSSLErrorOutput: null,
    testSSLErrorCode: null,
    testSSL: null,
    host,
    script: {
      host: 'consent-service',
      version: { npm: version, commit: null },
      config: configOf(scan, entry),
      cmd_args: '',
      environment: {},
      node_version: null,
    },
    localStorage: storageOf(of('local_storage'), { host, urls }),
    cookies: unique(cookies).map((cookie) => cookieOf(cookie, { host, urls, startedAt })),
    beacons: [],
    links: { firstParty: [], thirdParty: [], social: [], keywords: [] },
    unsafeForms: [],
    browser: {
      name: 'Chromium',
      version: scan.browser,
      user_agent: null,
      platform: { name: null, version: null },
      extra_headers: { dnt: 0 },
      preset_cookies: {},
    },
    browsing_history: visited.map(({ url }) => url),
    hosts: {
      requests: hostsOf(of('request')),
      beacons: hostsOf([]),
      cookies: hostsOf(cookies),
      localStorage: hostsOf(of('local_storage')),
      links: hostsOf([]),
      contentSecurityPolicy: hostsOf([]),
    },
    websockets: {},
    start_time: startedAt.toISOString(),
    end_time: (scan.endedAt ?? startedAt).toISOString(),
    websocketLog: {},
  };
}

/** Options of the collector that correspond to the scan. Its report template reads `screenshots`. */
function configOf({ urls }: ScanView, url: string): Record<string, unknown> {
  return {
    _: urls,
    url,
    firstPartyUri: [],
    max: 0,
    headless: true,
    screenshots: false,
    dnt: false,
    dntJs: false,
    lang: SCAN_LOCALE,
    taskDescription: null,
    browserOptions: [],
  };
}

function cookieOf(
  { name, host: domain, page, details }: ScanItemView,
  { host, urls, startedAt }: { host: string; urls: ReadonlyMap<number, string>; startedAt: Date },
): Record<string, unknown> {
  const { path = '/', expiresAt, httpOnly = false, secure = false, sameSite, setBy, initiator } = details;
  const expiresMs = expiresAt === undefined ? null : Date.parse(expiresAt);
  const location = urls.get(page) ?? '';
  const source = initiator === undefined ? location : `https://${initiator}`;
  return {
    name,
    value: maskedValue(details),
    domain: domain.replace(/^\./, ''),
    path,
    expires: expiresMs === null ? -1 : expiresMs / 1000,
    size: name.length + (details.valueLength ?? 0),
    httpOnly,
    secure,
    session: expiresMs === null,
    ...(sameSite !== undefined && { sameSite }),
    ...(expiresMs !== null && {
      expiresUTC: new Date(expiresMs).toISOString(),
      expiresDays: Math.round(((expiresMs - startedAt.getTime()) / DAY_MS) * 100) / 100,
    }),
    log: {
      stack: [{ fileName: source, source: `set by ${setBy ?? 'an unknown source'} (${source})` }],
      type: setBy === 'response' ? 'Cookie.HTTP' : 'Cookie.JS',
      timestamp: startedAt.toISOString(),
      location,
    },
    firstPartyStorage: !isThirdParty(domain, host),
  };
}

/** By origin, then by key. */
function storageOf(
  items: readonly ScanItemView[],
  { host: ownHost, urls }: { host: string; urls: ReadonlyMap<number, string> },
): Record<string, Record<string, unknown>> {
  const byOrigin = new Map<string, Map<string, unknown>>();
  for (const { name, host, page, details } of unique(items)) {
    const location = urls.get(page) ?? '';
    const origin = originOf(host, location);
    const entries = byOrigin.get(origin) ?? new Map<string, unknown>();
    entries.set(name, {
      value: maskedValue(details),
      log: { stack: [], type: 'Storage.LocalStorage', location },
      firstPartyStorage: !isThirdParty(host, ownHost),
    });
    byOrigin.set(origin, entries);
  }
  return Object.fromEntries([...byOrigin].map(([origin, entries]) => [origin, Object.fromEntries(entries)]));
}

/** The page's origin if the host is the page's own; other hosts are assumed to use https. */
function originOf(host: string, location: string): string {
  const page = URL.canParse(location) ? new URL(location) : null;
  return page?.host === host ? page.origin : `https://${host}`;
}

/** Values are not stored: their length, and the beginning of their SHA-256. */
function maskedValue({ valueLength, valueHash }: ScanItemView['details']): string {
  return valueHash === undefined ? '' : `masked:${valueLength ?? 0}:${valueHash}`;
}

function hostsOf(items: readonly ScanItemView[]): HostGroup {
  const hosts = (isThird: boolean): string[] => [
    ...new Set(
      items.filter((item) => item.thirdParty === isThird).map(({ host }) => host.replace(/^\./, '')),
    ),
  ];
  return { firstParty: hosts(false), thirdParty: hosts(true) };
}

/** Each cookie or entry once, in its last state. */
function unique(items: readonly ScanItemView[]): ScanItemView[] {
  return [...new Map(items.map((item) => [`${item.host} ${item.name}`, item])).values()];
}

/** A cookie or entry with its exact name and domain, because the tool compares both exactly. */
export interface KnownItem {
  kind: 'cookie' | 'local_storage';
  name: string;
  /** Without a leading dot. */
  host: string;
  /** Host and path of the script or response; null: unknown. */
  initiator: string | null;
  classification: Classification;
}

/** A knowledge base of the EDPB website auditing tool, as its import reads it. */
interface KnowledgeBase {
  name: string;
  author: string;
  category: 'cookie' | 'localstorage';
  created_at: string;
  trustLevel: 'informative';
  used: boolean;
  knowledges: Record<string, string | number>[];
}

/**
 * A scan's items, as knowledge bases of the EDPB website auditing tool: one of cookies, one of localStorage.
 */
export function knowledgeBasesOf(
  items: readonly KnownItem[],
  { title, author, at }: { title: string; author: string; at: Date },
): KnowledgeBase[] {
  const createdAt = at.toISOString();
  const base = (
    category: KnowledgeBase['category'],
    knowledges: KnowledgeBase['knowledges'],
  ): KnowledgeBase => ({
    name: `${title} (${category})`,
    author,
    category,
    created_at: createdAt,
    trustLevel: 'informative',
    used: true,
    knowledges,
  });
  const described = (item: KnownItem): Record<string, string> => {
    const { category, service, provider, purpose, policyUrl } = item.classification;
    return {
      category: category ?? '',
      source: service ?? '',
      controller: provider ?? '',
      date: createdAt,
      policy: policyUrl ?? '',
      reference: '',
      comment: purpose ?? '',
      created_at: createdAt,
      updated_at: createdAt,
    };
  };
  return [
    base(
      'cookie',
      items
        .filter(({ kind }) => kind === 'cookie')
        .map((item) => ({
          kind: 'cookie',
          domain: item.host,
          name: item.name,
          ...described(item),
          wildcard_match: 0,
        })),
    ),
    base(
      'localstorage',
      items
        .filter(({ kind }) => kind === 'local_storage')
        .map((item) => ({
          kind: 'localstorage',
          key: item.name,
          ...described(item),
          script: item.initiator === null ? '' : `https://${item.initiator}`,
        })),
    ),
  ];
}
