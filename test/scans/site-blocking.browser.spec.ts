import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Json } from '../support/people/json.js';
import { type ScanService, startScanService } from '../support/programs/scan-service.js';
import { until } from '../support/until.js';

let site: Server;
let ads: Server;
let service: ScanService;
/** Requested paths of the other host. */
const requested: string[] = [];
/** The policy that the site sends; null: none. */
let header: string | null;
let page: string;

beforeAll(async () => {
  ads = createServer((request, response) => {
    requested.push(request.url ?? '');
    response.setHeader('content-type', 'text/javascript');
    response.end();
  });
  site = createServer(({ url }, response) => serve(url ?? '', response));
  for (const server of [ads, site]) await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  service = await startScanService({
    SCANNER_ALLOWED_PRIVATE_TARGETS: `127.0.0.1:${portOf(site)},localhost:${portOf(ads)}`,
    SCANNER_STATE_PAGES: '1',
    SCANNER_DWELL_SECONDS: '1',
  });
  const blocking = { enabled: true, rules: [{ host: 'localhost', path: null, category: 'marketing' }] };
  await service.call('PUT', '/configuration', { blocking });
});
afterAll(async () => {
  await service?.stop();
  for (const server of [ads, site]) {
    server?.closeAllConnections();
    server?.close();
  }
});
beforeEach(() => {
  header = null;
  requested.length = 0;
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
const AD = (): string => `http://localhost:${portOf(ads)}/tag.js`;

function serve(path: string, response: ServerResponse): void {
  if (path !== '/') return void response.writeHead(404).end();
  response.setHeader('content-type', 'text/html');
  // Each scan has a finding about it.
  response.setHeader('set-cookie', 'unknown=1');
  if (header !== null) response.setHeader('content-security-policy', header);
  response.end(`<!doctype html><html lang="en">${service.loaderTag}<title>Shop</title><body>${page}`);
}

/** The findings of a new scan about the other host. */
async function findings(): Promise<Json[]> {
  const scanned = await service.scan({
    urls: [`http://127.0.0.1:${portOf(site)}/`],
    skipStates: ['reject', 'accept', 'signal'],
  });
  expect(scanned).toMatchObject({ status: 'completed' });
  const path = `/scans/${String(scanned['id'])}/findings?limit=100`;
  const read = async (): Promise<Json[]> => (await service.call<{ items: Json[] }>('GET', path)).items;
  const all = await until('a worker has evaluated the scan', async () => {
    const found = await read();
    return found.length > 0 ? found : null;
  });
  return all.filter(({ kind }) => kind === 'not_blocked_by_site');
}

it('finds requests that the site does not block before a choice, and none where its header does', async () => {
  page = `<script src="${AD()}"></script>`;
  expect(await findings()).toMatchObject([
    { host: 'localhost', certainty: 'settled', category: 'marketing', uses: [{ sent: true }] },
  ]);
  expect(requested).not.toEqual([]);

  requested.length = 0;
  const policy = await service.call('GET', '/configuration/content-security-policy');
  header = String(policy['beforeConsent']);
  expect(await findings()).toEqual([]);
  expect(requested).toEqual([]);
});

it('finds HTML that may send requests, and none that waits', async () => {
  page = `<div style="height: 30000px"></div><img loading="lazy" src="${AD()}">`;
  expect(await findings()).toMatchObject([{ host: 'localhost' }]);

  page = `<script type="text/plain" data-category="marketing" data-src="${AD()}"></script>`;
  requested.length = 0;
  expect(await findings()).toEqual([]);
  expect(requested).toEqual([]);
});
