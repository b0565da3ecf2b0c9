import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../people/json.js';
import { HEADLESS_SHELL } from './browser.js';
import { type LoneService, startLoneService } from './processes.js';
import { until } from '../until.js';

const SCAN_DEADLINE_MS = 840_000;

/** A service in standalone mode with its scanner, and the demo project of it. */
export interface ScanService extends LoneService {
  projectId: string;
  /** The tag of the project's loader, which verifies a host. */
  loaderTag: string;
  /** Calls a route of the project as its owner. @throws with the response if it is an error */
  call<T = Json>(method: string, path: string, body?: unknown): Promise<T>;
  /** Requests a scan; returns its id. */
  request(body: Json): Promise<string>;
  /** The scan once it has ended. The service may be unavailable in between. */
  ended(id: string): Promise<Json>;
  /** Requests a scan and waits for its end. */
  scan(body?: Json): Promise<Json>;
  items(scan: Json): Promise<Json[]>;
}

/** The pages are visited in Chromium's headless shell, unless `SCANNER_CHROMIUM` has another path or none. */
export async function startScanService(environment: Record<string, string>): Promise<ScanService> {
  const service = await startLoneService({ SCANNER_CHROMIUM: HEADLESS_SHELL, ...environment });
  const credentials = readFileSync(join(service.dataDir, 'dev-credentials.json'), 'utf8');
  const { projectId, apiKeys } = JSON.parse(credentials) as { projectId: string; apiKeys: { owner: string } };
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${service.baseUrl}/v1/projects/${projectId}${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKeys.owner}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`);
    return (await response.json()) as T;
  };
  const isAvailable = async (): Promise<unknown> => {
    const scans = await call<Json>('GET', '/scans').catch(() => null);
    return (scans?.['allowance'] as Json | undefined)?.['scannerAvailable'];
  };
  const request = async (body: Json): Promise<string> => {
    await until('a scanner is running', isAvailable);
    return String((await call<Json>('POST', '/scans', body))['id']);
  };
  const ended = (id: string): Promise<Json> =>
    until(
      'the scan has ended',
      async () => {
        const scan = await call<Json>('GET', `/scans/${id}`).catch(() => null);
        return scan === null || ['queued', 'running'].includes(String(scan['status'])) ? null : scan;
      },
      SCAN_DEADLINE_MS,
    );
  await until('a scanner is running', isAvailable);
  return {
    ...service,
    projectId,
    call,
    request,
    ended,
    loaderTag: `<script src="${service.baseUrl}/cdn/${projectId}/loader.js"></script>`,
    scan: async (body = {}) => ended(await request(body)),
    items: async (scan) => {
      const items: Json[] = [];
      let path = `/scans/${String(scan['id'])}/items?limit=200`;
      for (;;) {
        const page = await call<{ items: Json[]; nextCursor: string | null }>('GET', path);
        items.push(...page.items);
        if (!page.nextCursor) return items;
        path = `/scans/${String(scan['id'])}/items?limit=200&cursor=${encodeURIComponent(page.nextCursor)}`;
      }
    },
  };
}
