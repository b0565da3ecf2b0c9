import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { commonDomain } from '../../src/modules/pages/http/region-page.controller.js';
import { readSettings } from '../../src/programs/settings.js';
import { startTestService, type TestService } from '../support/programs/service.js';

const EU = 'https://eu.service.example';
const US = 'https://us.service.example';
const CELLS = `eu=${EU},us=${US},lab=https://lab.service.example`;

let service: TestService;
let only: TestService;
beforeAll(async () => {
  service = await startTestService({ PUBLIC_BASE_URL: EU, CELLS });
  only = await startTestService();
});
afterAll(async () => {
  await service.close();
  await only.close();
});

const get = (path: string, headers: Record<string, string> = {}, at = service): Promise<Response> =>
  fetch(`${at.baseUrl}${path}`, { headers, redirect: 'manual' });

describe('GET /region', () => {
  it('is not there where the installation is the only one', async () => {
    expect((await get('/region', {}, only)).status).toBe(404);
    expect((await get('/region/eu', {}, only)).status).toBe(404);
  });

  it('lists the cells under the names of their regions, without scripts', async () => {
    const response = await get('/region', { 'accept-language': 'de-AT' });
    const html = await response.text();
    expect([response.status, response.headers.get('content-language')]).toEqual([200, 'de']);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(html).not.toContain('<script');
    const links = [...html.matchAll(/href="(\/region\/\w+)"><strong>(.*?)<\/strong><span>(.*?)<\/span>/g)];
    expect(links.map(([, href, name, host]) => [href, name, host])).toEqual([
      ['/region/eu', 'Europäische Union', 'eu.service.example'],
      ['/region/us', 'Vereinigte Staaten', 'us.service.example'],
      ['/region/lab', 'lab', 'lab.service.example'],
    ]);
  });

  it('remembers the choice for all cells and redirects to it the next time', async () => {
    const chosen = await get('/region/us');
    expect([chosen.status, chosen.headers.get('location')]).toEqual([302, `${US}/`]);
    const cookie = chosen.headers.get('set-cookie') ?? '';
    expect(cookie).toMatch(/^cell=us; Max-Age=34560000; Domain=service\.example; Path=\/region; /);
    expect(cookie).toMatch(/HttpOnly; Secure; SameSite=Lax$/);

    const again = await get('/region', { cookie: 'other=cell=eu; cell=us' });
    expect([again.status, again.headers.get('location')]).toEqual([302, `${US}/`]);
    const page = await get('/region?choose', { cookie: 'cell=us' });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('href="/region/us" aria-current="true"');
  });

  it('is named on the page of each cell’s dashboard', async () => {
    expect(await (await get('/sign-in')).text()).toContain('<meta name="cell" content="eu">');
    expect(await (await get('/sign-in', {}, only)).text()).not.toContain('name="cell"');
  });

  it('shows the page again for a cell that is no longer there, and has none of that name', async () => {
    expect((await get('/region', { cookie: 'cell=asia' })).status).toBe(200);
    const unknown = await get('/region/asia');
    expect([unknown.status, unknown.headers.get('set-cookie')]).toEqual([404, null]);
  });

  it.each([
    [['https://eu.service.example', 'https://us.service.example'], 'service.example'],
    [['https://a.eu.service.example', 'https://b.eu.service.example:8443'], 'eu.service.example'],
    [['https://service.example', 'https://us.service.example'], 'service.example'],
    [['https://service.example'], 'service.example'],
    // The shared part is a public suffix, whose cookies browsers refuse.
    [['https://one.co.uk', 'https://two.co.uk'], null],
    [['https://one.example', 'https://two.test'], null],
    [['http://127.0.0.1:3000', 'http://127.0.0.1:3100'], null],
  ])('keeps one cookie for %j at %s', (origins, domain) => {
    expect(commonDomain(origins.map((origin, at) => ({ name: String(at), origin })))).toBe(domain);
  });
});

describe('CELLS', () => {
  const read = (cells: string): unknown =>
    readSettings({ NODE_ENV: 'test', PUBLIC_BASE_URL: EU, CELLS: cells }).service.cells;

  it('names each installation', () => {
    expect(read(` eu=${EU} , us=${US}/ `)).toEqual([
      { name: 'eu', origin: EU },
      { name: 'us', origin: US },
    ]);
  });

  it.each([
    [`us=${US}`, 'must include this installation'],
    [`eu=${EU},eu=${US}`, 'must be a comma-separated list'],
    [`eu=${EU},us=${EU}`, 'must be a comma-separated list'],
    [`EU=${EU}`, 'must be a comma-separated list'],
    [`eu=${EU}/path`, 'must be a comma-separated list'],
    [EU, 'must be a comma-separated list'],
  ])('refuses %s', (cells, sentence) => {
    expect(() => read(cells)).toThrow(`CELLS ${sentence}`);
  });

  it('requires https in production', () => {
    expect(() =>
      readSettings({
        NODE_ENV: 'production',
        PUBLIC_BASE_URL: EU,
        CELLS: `eu=${EU},us=http://us.service.example`,
      }),
    ).toThrow('CELLS must use https in production.');
  });
});
