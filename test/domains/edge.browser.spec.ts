import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { HostList } from '../../src/modules/domains/application/host-list.js';
import { AskServer } from '../../src/modules/domains/http/ask-server.js';
import { createCertificateAuthority, issueCertificate } from '../../src/standalone/certificates.js';
import { launchBrowser } from '../support/programs/browser.js';
import { type DomainWorld, startDomainWorld } from '../support/people/custom-domain.js';
import { documentedLine, documentedSettings, Edge, FakeDns } from '../support/programs/edge.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { until } from '../support/until.js';

const HOST = 'consent.shop.test';
const SITE = 'www.shop.test';
const OWN = 'consent.service.test';
/** Its certificate is never issued. */
const BROKEN = 'broken.shop.test';
const CANARY = 'of-the-shop-7f3a';

let world: DomainWorld;
let dns: FakeDns;
let edge: Edge;
let browser: Browser;
let site: HttpsServer;
let folder: string;
let project: TestProject;
/** The one that the shop's pages name. */
let shopProject: TestProject;
let ask: { port: number; open(): Promise<void>; close(): Promise<void> };
let api: { port: number; open(): Promise<void>; close(): Promise<void> };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'edge-'));
  dns = await FakeDns.start();
  world = await startDomainWorld({
    ...documentedSettings(),
    CUSTOM_DOMAIN_RESOLVERS: dns.address,
    COUNTRY_HEADER: 'X-Country',
    SUBDIVISION_HEADER: 'X-Subdivision',
    RUN_WORKER: 'true',
  });
  const { app } = world.service;
  api = reopened(app.getHttpServer() as Server);
  ask = reopened(app.get(AskServer, { strict: false }).server);
  await ask.open();
  edge = await Edge.start({ folder, dns, apiPort: api.port, askPort: ask.port });
  site = await startShop();
  const sitePort = (site.address() as AddressInfo).port;
  const rules = [
    `MAP ${SITE}:443 127.0.0.1:${sitePort}`,
    `MAP *.shop.test:443 127.0.0.1:${edge.httpsPort}`,
    `MAP ${OWN}:443 127.0.0.1:${edge.httpsPort}`,
    'MAP * ~NOTFOUND',
  ];
  browser = await launchBrowser({ hosts: rules.join(',') });
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await edge?.stop();
  await ask?.close();
  await world?.close();
  await dns?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A server that can be closed, and opened again on its port. */
function reopened(server: Server): { port: number; open(): Promise<void>; close(): Promise<void> } {
  const known = {
    port: server.listening ? (server.address() as AddressInfo).port : 0,
    open: async () => {
      await new Promise<void>((done) => server.listen(known.port, '127.0.0.1', done));
      known.port = (server.address() as AddressInfo).port;
    },
    close: async () => {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
  return known;
}

/** The customer's site, which has its own session cookie. */
async function startShop(): Promise<HttpsServer> {
  const authority = await createCertificateAuthority();
  const { certificatePem: cert, privateKeyPem: key } = await issueCertificate(authority, [SITE]);
  const server = createServer({ cert, key }, (request, response) => {
    // Each page names another host: `/` or `/<hostname>`.
    const hostname = (request.url ?? '').slice(1) || HOST;
    const line = documentedLine({ hostname, fallback: `https://${OWN}`, projectId: shopProject.id });
    response.writeHead(200, {
      'content-type': 'text/html',
      'set-cookie': `shop_session=${CANARY}; Domain=shop.test; Path=/; Secure`,
    });
    response.end(
      `<!doctype html><html lang="en"><head><title>A shop</title>
       ${line}<script type="text/plain" data-category="analytics">window.counted = true</script></head><body><h1>A shop</h1></body></html>`,
    );
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

const newProject = async (): Promise<TestProject> => {
  const created = await createTestProject(world.service, { tier: 'business', domains: [SITE] });
  await created.request('editor', 'PUT', '/configuration', { banner: { enabled: true } });
  return created;
};

/** Adds a hostname, points DNS at it, and checks. */
async function verified(of: TestProject, hostname: string): Promise<string> {
  const added = await world.add(of, hostname);
  await dns.setCname(hostname, added.records.cname.value);
  expect(await (await of.request('editor', 'POST', `/domains/${added.id}/check`)).json()).toMatchObject({
    state: 'verified',
  });
  await world.service.app.get(HostList, { strict: false }).refresh();
  return added.id;
}

const config = (of: TestProject): string => `/cdn/${of.id}/config.json`;

describe('a custom domain behind Caddy', () => {
  it('gets from a CNAME to a certificate, the loader and a consent', async () => {
    project = shopProject = await newProject();
    expect(await edge.certificate(HOST)).toBeNull();
    const id = await verified(project, HOST);

    const certificate = await until('there is a certificate', () => edge.certificate(HOST));
    expect(certificate.subjectaltname).toBe(`DNS:${HOST}`);

    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    const hosts = new Set<string>();
    const cookies: string[] = [];
    page.on('request', async (request) => {
      hosts.add(new URL(request.url()).host);
      // The page may be closed before the headers are known.
      cookies.push((await request.allHeaders().catch((): Record<string, string> => ({})))['cookie'] ?? '');
    });
    const set: string[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).host === HOST) set.push(response.headers()['set-cookie'] ?? '');
    });
    await page.goto(`https://${SITE}/`);
    await page.reload();
    await page.getByRole('button', { name: 'Accept all' }).click();
    const [record] = await until('the consent is stored', async () => {
      const rows = await world.service.database.query('select * from consent_record where project_id = $1', [
        project.id,
      ]);
      return rows.length > 0 ? rows : null;
    });
    expect(record).toMatchObject({ hostname: SITE, action: 'accept_all' });
    expect([...hosts].toSorted()).toEqual([HOST, SITE]);
    // The browser sent the shop's session to our host; nothing came back, and nothing keeps it.
    expect(cookies.some((cookie) => cookie.includes(CANARY))).toBe(true);
    expect(set.filter(Boolean)).toEqual([]);
    expect(JSON.stringify(record)).not.toContain(CANARY);
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['shop_session']);
    await context.close();

    const shown = await until('it is active', async () => {
      const read = await world.read(project, id);
      return read.state === 'active' && read.certificate.askedAt !== null ? read : null;
    });
    expect(shown).toMatchObject({ state: 'active', problem: null });
  });

  it('serves no page of the service, which has its own host', async () => {
    expect((await edge.get(HOST, '/sign-in')).status).toBe(404);
    expect((await edge.get(HOST, '/metrics')).status).toBe(404);
    expect((await edge.get('consent.service.test', '/sign-in')).status).toBe(200);
    expect((await edge.get('consent.service.test', config(project))).status).toBe(200);
  });

  it('lets no country pass that a visitor sends', async () => {
    const forged = { 'x-country': 'US', 'x-subdivision': 'CA' };
    for (const host of [HOST, OWN]) {
      const { text } = await edge.get(host, config(project), forged);
      expect(JSON.parse(text)).toMatchObject({ region: 'XX', isEu: true });
    }
  });

  it('is the only kind of host that gets a certificate', async () => {
    for (const host of ['unknown.shop.test', 'www.evil.test', 'x.consent.shop.test', 'edge.service.test'])
      expect([host, await edge.certificate(host)]).toEqual([host, null]);
  });

  it('gets no certificate after it is removed, and serves nothing with the one it had', async () => {
    const other = await newProject();
    const [never, had] = ['never.shop.test', 'had.shop.test'];
    const ids = [await verified(other, never), await verified(other, had)];
    expect((await edge.get(had, config(other))).status).toBe(200);
    for (const id of ids)
      expect((await other.request('editor', 'DELETE', `/domains/${id}`)).status).toBe(204);
    await world.service.app.get(HostList, { strict: false }).refresh();
    expect(await edge.certificate(never)).toBeNull();
    expect((await edge.get(had, config(other))).status).toBe(404);
  });

  it('belongs to the project that DNS names', async () => {
    const [first, second] = [await newProject(), await newProject()];
    const host = 'moved.shop.test';
    const id = await verified(first, host);
    expect((await edge.get(host, config(first))).status).toBe(200);
    const claim = await world.add(second, host);
    await second.request('editor', 'POST', `/domains/${claim.id}/check`);
    expect(await world.read(second, claim.id)).toMatchObject({ state: 'pending', problem: 'wrong_token' });
    expect((await edge.get(host, config(second))).status).toBe(404);

    await dns.setCname(host, 'elsewhere.test');
    await first.request('editor', 'POST', `/domains/${id}/check`);
    expect(await world.read(first, id)).toMatchObject({ state: 'failing', problem: 'other_target' });
    expect((await edge.get(host, config(first))).status).toBe(200);

    await dns.setCname(host, claim.records.cname.value);
    await second.request('editor', 'POST', `/domains/${claim.id}/check`);
    await world.service.app.get(HostList, { strict: false }).refresh();
    expect((await edge.get(host, config(second))).status).toBe(200);
    expect((await edge.get(host, config(first))).status).toBe(404);
  });
});

describe.each([
  ['has no certificate', BROKEN],
  ['is suspended', 'suspended.shop.test'],
])('a custom domain that %s', (_case, hostname) => {
  it('leaves the banner to the service’s own host, and marked scripts blocked until the choice', async () => {
    shopProject = await newProject();
    if (hostname !== BROKEN) {
      const id = await verified(shopProject, hostname);
      await until('there is a certificate', () => edge.certificate(hostname));
      await world.service.database.query(`update custom_domain set state = 'suspended' where id = $1`, [id]);
      await world.service.app.get(HostList, { strict: false }).refresh();
    }
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    const page = await context.newPage();
    await page.goto(`https://${SITE}/${hostname}`);
    const accept = page.getByRole('button', { name: 'Accept all' });
    await accept.waitFor();
    expect(await page.evaluate('window.counted')).toBeUndefined();
    await accept.click();
    await until('the script runs', () => page.evaluate('window.counted'));
    const [record] = await until('the consent is stored', async () => {
      const rows = await world.service.database.query('select * from consent_record where project_id = $1', [
        shopProject.id,
      ]);
      return rows.length > 0 ? rows : null;
    });
    expect(record).toMatchObject({ hostname: SITE, action: 'accept_all' });
    await context.close();
  });
});

describe('while parts are away', () => {
  it('without PostgreSQL, hosts get certificates', async () => {
    const other = await newProject();
    await verified(other, 'without-database.shop.test');
    const { database } = world.service;
    const [row] = await database.query<{ name: string }>('select current_database() as name');
    await database.query(`revoke connect on database ${row!.name} from public`);
    await database.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    try {
      expect(await edge.certificate('without-database.shop.test')).not.toBeNull();
      expect((await edge.get(HOST, `/cdn/${project.id}/loader.js`)).status).toBe(200);
    } finally {
      await database.query(`grant connect on database ${row!.name} to public`);
    }
    await until(
      'the database is back',
      async () => (await fetch(`${world.service.baseUrl}/health/ready`)).ok,
    );
  });

  it('without the API, known certificates stay, new ones follow once it is back', async () => {
    const other = await newProject();
    const host = 'without-api.shop.test';
    await verified(other, host);
    await Promise.all([api.close(), ask.close()]);
    try {
      expect(await edge.certificate(HOST)).not.toBeNull();
      expect((await edge.get(HOST, `/cdn/${project.id}/loader.js`)).status).toBe(502);
      expect(await edge.certificate(host)).toBeNull();
    } finally {
      await Promise.all([api.open(), ask.open()]);
    }
    expect((await edge.get(HOST, `/cdn/${project.id}/loader.js`)).status).toBe(200);
    await until('it has a certificate', () => edge.certificate(host));
  });
});

it('renews certificates that are valid for a short time', async () => {
  const brief = await Edge.start({
    folder,
    dns,
    apiPort: api.port,
    askPort: ask.port,
    validSeconds: 15,
  });
  try {
    const first = await until('there is a certificate', () => brief.certificate(HOST));
    const second = await until('it is renewed', async () => {
      const now = await brief.certificate(HOST);
      return now && now.serialNumber !== first.serialNumber ? now : null;
    });
    expect(Date.parse(second.valid_to)).toBeGreaterThan(Date.parse(first.valid_to));
  } finally {
    await brief.stop();
  }
});
