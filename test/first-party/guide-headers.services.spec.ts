import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Json } from '../support/people/json.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { type Guide, publishService, type PublicService, SiteProxy } from '../support/fakes/site-proxy.js';
import { until } from '../support/until.js';

const HOST = 'www.shop.example';
/** Whose proxy learns the visitor's country from its platform, which is `DE-BY` in the test. */
const PLATFORMS = new Set<Guide>(['vercel', 'cloudflare']);
/** Headers with which a visitor pretends to be another one, elsewhere. */
const FORGED = {
  'x-service-proxy-secret': 'forged',
  'x-service-visitor-address': '203.0.113.77',
  'x-service-visitor-country': 'US',
  'x-service-visitor-subdivision': 'CA',
  'x-forwarded-host': 'www.other.example',
  'x-forwarded-prefix': '/forged',
  'x-real-ip': '203.0.113.77',
  'x-vercel-ip-country': 'US',
  'x-vercel-ip-country-region': 'CA',
  'cf-connecting-ip': '203.0.113.77',
};

let service: TestService;
let published: PublicService;
let pages: Server;
let folder: string;
let project: TestProject;
let secret: string;
let proxy: SiteProxy | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'first-party-'));
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1', RUN_WORKER: 'true' });
  published = await publishService(service.baseUrl, folder);
  pages = createServer((_request, response) => response.end('A shop'));
  await new Promise<void>((ready) => pages.listen(0, '127.0.0.1', ready));
  project = await createTestProject(service, { tier: 'business', domains: [HOST] });
  const created = await project.request('editor', 'POST', '/first-party/proxy/secret');
  secret = String(((await created.json()) as Json)['secret']);
  expect((await project.request('editor', 'PUT', '/configuration', {})).status).toBe(200);
});
afterAll(async () => {
  pages?.closeAllConnections();
  pages?.close();
  await published?.close();
  await service?.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => proxy?.stop());

/** The configuration, as a visitor with the given headers gets it through the site. */
function readConfiguration(port: number, headers: Record<string, string>): Promise<Json | null> {
  return new Promise((done, failed) => {
    const path = `/consent/cdn/${project.id}/config.json`;
    request({ host: '127.0.0.1', port, path, headers: { host: HOST, ...headers } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => done(response.statusCode === 200 ? (JSON.parse(text) as Json) : null));
    })
      .on('error', failed)
      .end();
  });
}

describe.each<Guide>(['nginx', 'caddy', 'haproxy', 'apache', 'express', 'next', 'vercel', 'cloudflare'])(
  'the guide for %s',
  (guide) => {
    it('lets none of the headers pass that a visitor forges', async () => {
      proxy = await SiteProxy.start(guide, {
        folder,
        host: HOST,
        service: published,
        projectId: project.id,
        secret,
        pagesPort: (pages.address() as AddressInfo).port,
      });
      const { port } = proxy;
      const document = await until('the configuration', () => readConfiguration(port, FORGED));
      expect(document['region']).toBe(PLATFORMS.has(guide) ? 'DE-BY' : 'XX');
      expect(document['isEu']).toBe(true);

      const headers = published.seen.at(-1)?.headers ?? {};
      expect(headers).toMatchObject({ 'x-service-proxy-secret': secret, 'x-forwarded-prefix': '/consent' });
      const address = headers['x-service-visitor-address'];
      // A self-hosted Next.js does not know it: the service uses the last address of
      // X-Forwarded-For.
      if (guide === 'next') expect(address).toBeUndefined();
      else expect(address).toMatch(/^(::ffff:)?127\.0\.0\.1$/);
      const rest = Object.entries(headers).filter(([name]) => /^x-(service-visitor-|forwarded-)/.test(name));
      expect(JSON.stringify(rest)).not.toMatch(/203\.0\.113\.77|"US"|"CA"|other\.example|forged/);
    });
  },
);
