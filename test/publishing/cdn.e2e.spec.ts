import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pageScripts } from '../../src/modules/publishing/infrastructure/loader-script.js';
import { newId } from '../../src/platform/identity/ids.js';
import { createTestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    RUN_WORKER: 'true',
    TRUSTED_PROXIES: '127.0.0.1',
    COUNTRY_HEADER: 'CF-IPCountry',
    SUBDIVISION_HEADER: 'CF-Region-Code',
  });
});
afterAll(() => service.close());

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** The path verbatim: `fetch` would resolve `..`, and decompress. */
function get(path: string, headers: Record<string, string> = {}, of = service): Promise<Answer> {
  const { hostname, port } = new URL(of.baseUrl);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });
}
const json = (answer: Answer): Record<string, unknown> =>
  JSON.parse(answer.body.toString()) as Record<string, unknown>;

describe('GET /cdn/:projectId/config.json', () => {
  it('serves a project that has published nothing yet what it would publish', async () => {
    const project = await createTestProject(service);
    const answer = await get(`/cdn/${project.id}/config.json`);
    expect(answer.status).toBe(200);
    expect(json(answer)).toMatchObject({ projectId: project.id, tier: 'lite', defaultMode: 'opt_in' });
  });

  it('serves what was published, for any site, with an entity tag', async () => {
    const project = await createTestProject(service);
    await project.request('editor', 'POST', '/tier/simulate', { tier: 'pro' });
    const path = `/cdn/${project.id}/config.json`;
    const answer = await until('pro', async () => {
      const got = await get(path);
      return json(got).tier === 'pro' ? got : null;
    });
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'content-type': 'application/json; charset=utf-8',
      'x-amz-meta-tier': 'pro',
      'cache-control': expect.stringMatching(
        /^private, max-age=60, stale-while-revalidate=\d+, stale-if-error=\d+$/,
      ),
      vary: expect.stringContaining('cf-ipcountry'),
    });
    const etag = String(answer.headers.etag);
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path, { 'if-none-match': tag, 'cache-control': 'no-cache' });
      expect(again.status).toBe(304);
      expect(again.body).toHaveLength(0);
      expect(again.headers.etag).toBe(etag);
    }
    expect((await get(path, { 'if-none-match': '"other"' })).status).toBe(200);

    await project.request('editor', 'POST', '/tier/simulate', { tier: 'business' });
    await until('another tag', async () => (await get(path, { 'if-none-match': etag })).status === 200);
  });

  it.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('compresses with %s', async (encoding, decompress) => {
    const project = await createTestProject(service);
    const path = `/cdn/${project.id}/config.json`;
    const plain = await get(path);
    const answer = await get(path, { 'accept-encoding': encoding });
    expect(answer.headers).toMatchObject({
      'content-encoding': encoding,
      etag: `W/${String(plain.headers.etag)}`,
      vary: expect.stringContaining('Accept-Encoding'),
    });
    expect(answer.body.length).toBeLessThan(plain.body.length);
    expect(decompress(answer.body).toString()).toBe(plain.body.toString());
    expect(
      (await get(path, { 'accept-encoding': encoding, 'if-none-match': String(answer.headers.etag) })).status,
    ).toBe(304);
  });

  it.each([
    ['DE', 'DE', true],
    ['us', 'US', false],
    ['XX', 'XX', true],
    ['DE, US', 'XX', true],
    [undefined, 'XX', true],
  ])('design §6.6: tells the region of a trusted proxy that says %s', async (header, region, isEu) => {
    const project = await createTestProject(service);
    const answer = await get(`/cdn/${project.id}/config.json`, header ? { 'cf-ipcountry': header } : {});
    expect(json(answer)).toMatchObject({ region, isEu });
    expect(answer.headers.etag).toContain(`-${region}"`);
  });

  it('design §6.6: believes nobody else', async () => {
    const open = await startTestService({ COUNTRY_HEADER: 'cf-ipcountry', TRUSTED_PROXIES: '192.0.2.1' });
    try {
      const project = await createTestProject(open);
      const answer = await get(
        `/cdn/${project.id}/config.json`,
        { 'cf-ipcountry': 'US', 'x-forwarded-for': '127.0.0.1' },
        open,
      );
      expect(json(answer)).toMatchObject({ region: 'XX', isEu: true });
    } finally {
      await open.close();
    }
  });

  it('may be kept by every cache where no header tells the region', async () => {
    const plain = await startTestService();
    try {
      const project = await createTestProject(plain);
      const answer = await get(`/cdn/${project.id}/config.json`, { 'cf-ipcountry': 'US' }, plain);
      expect(answer.headers['cache-control']).toMatch(/^public, /);
      expect(answer.headers.vary).toBe('Accept-Encoding');
      expect(json(answer)).toMatchObject({ region: 'XX' });
    } finally {
      await plain.close();
    }
  });

  it('answers 404 for an unknown project, cached briefly', async () => {
    for (const id of [
      newId(),
      'nonsense',
      '%00',
      '..',
      '.',
      'a%2fb',
      '..%2f..%2fsecret',
      '%2e%2e',
      '*',
      'a'.repeat(3000),
    ]) {
      for (const file of ['config.json', 'loader.js']) {
        if (file === 'loader.js' && id.length === 36) continue;
        const answer = await get(`/cdn/${id}/${file}`);
        expect([id, answer.status]).toEqual([id, 404]);
        expect(json(answer)).toMatchObject({ status: 404 });
      }
    }
    const answer = await get(`/cdn/${newId()}/config.json`);
    expect(json(answer)).toMatchObject({ code: 'project_not_found' });
    expect(answer.headers).toMatchObject({
      'cache-control': 'public, max-age=30',
      'access-control-allow-origin': '*',
    });
    expect((await get(`/cdn/%ff/config.json`)).status).toBe(400);
    expect((await get(`/cdn/../../etc/passwd`)).status).toBe(404);
  });

  it('serves nothing but its files', async () => {
    const project = await createTestProject(service);
    for (const file of ['', 'config', 'other.json', '..%2fconfig.json', 'config.json%00', '.draft']) {
      expect((await get(`/cdn/${project.id}/${file}`)).status).toBe(404);
    }
    expect((await fetch(`${service.baseUrl}/cdn/${project.id}/config.json`, { method: 'POST' })).status).toBe(
      405,
    );
  });

  it('says when storage cannot be read, and the rest goes on', async () => {
    const project = await createTestProject(service);
    const { storage } = service.settings.publishing;
    if (storage.kind !== 'folder') throw new Error('not a folder');
    // A folder in the place of the file cannot be read, not even by root.
    mkdirSync(join(storage.path, project.id, 'config.json'), { recursive: true });
    const answer = await get(`/cdn/${project.id}/config.json`);
    expect(answer.status).toBe(503);
    expect(json(answer)).toMatchObject({ code: 'temporarily_unavailable' });
    expect(answer.headers['retry-after']).toBe('5');
    expect((await project.request('viewer', 'GET', '/configuration')).status).toBe(200);
  });

  it('answers a preflight', async () => {
    const response = await fetch(`${service.baseUrl}/cdn/${newId()}/config.json`, { method: 'OPTIONS' });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-headers')).toContain('If-None-Match');
  });

  it('tells the part of the country where the proxy does', async () => {
    const project = await createTestProject(service);
    const answer = await get(`/cdn/${project.id}/config.json`, {
      'cf-ipcountry': 'US',
      'cf-region-code': 'CA',
    });
    expect(json(answer)).toMatchObject({ region: 'US-CA', isEu: false });
    expect(answer.headers.vary).toMatch(/cf-region-code/);
  });

  it('adds what the loader needs to a document that an older version has published', async () => {
    const project = await createTestProject(service);
    const { previewHosts: _, euRegions: __, ...own } = json(await get(`/cdn/${project.id}/config.json`));
    const banner = { ...(own['banner'] as object), enabled: true };
    const older = { ...own, banner, bannerScript: `banner-${'0'.repeat(16)}.js`, policyVersion: 'older' };
    const { storage } = service.settings.publishing;
    if (storage.kind !== 'folder') throw new Error('not a folder');
    mkdirSync(join(storage.path, project.id), { recursive: true });
    writeFileSync(join(storage.path, project.id, 'config.json'), JSON.stringify(older));
    for (const id of [project.id, project.id.toUpperCase()])
      expect(json(await get(`/cdn/${id}/config.json`))).toMatchObject({
        policyVersion: 'older',
        previewHosts: expect.stringContaining('webflow'),
        euRegions: expect.arrayContaining(['FR']),
        // The loader is that of this version, and needs its banner.
        bannerScript: pageScripts().banner,
      });
  });
});

describe('GET /cdn/:projectId/loader.js', () => {
  it('serves the loader, compressed, with an entity tag', async () => {
    const path = `/cdn/${newId()}/loader.js`;
    const answer = await get(path, { 'accept-encoding': 'gzip' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/javascript/),
      'content-encoding': 'gzip',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': expect.stringContaining('stale-if-error'),
    });
    expect(answer.body.length).toBeLessThanOrEqual(3 * 1024);
    expect(gunzipSync(answer.body).toString()).toContain('serviceMeta');
    expect((await get(path, { 'if-none-match': String(answer.headers.etag) })).status).toBe(304);
  });
});

describe('GET /cdn/:projectId/blocker.js', () => {
  it('serves the rules of what is published, for a minute, and none where blocking is off', async () => {
    const project = await createTestProject(service);
    const path = `/cdn/${project.id}/blocker.js`;
    const off = await get(path);
    expect([off.status, off.body.toString()]).toEqual([200, '/* Blocking is off. */\n']);
    const rule = { host: 'tracker.test', category: 'marketing' };
    const response = await project.request('editor', 'PUT', '/configuration', {
      blocking: { enabled: true, rules: [rule] },
    });
    expect(((await response.json()) as { blocking: unknown }).blocking).toEqual({
      enabled: true,
      rules: [{ ...rule, path: null }],
    });
    const answer = await until('published', async () => {
      const got = await get(path, { 'accept-encoding': 'gzip' });
      return got.headers['content-encoding'] === 'gzip' ? got : null;
    });
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/javascript/),
      'access-control-allow-origin': '*',
      'cache-control': expect.stringMatching(/^public, max-age=60, stale-while-revalidate=\d+, /),
    });
    const script = gunzipSync(answer.body).toString();
    expect(script).toContain(`"id":"${project.id}"`);
    expect(script).toContain(String.raw`(?:tracker\\.test\\.?/)","marketing"`);
    expect((await get(path, { 'if-none-match': String(answer.headers.etag) })).status).toBe(304);
    expect((await get(`/cdn/${newId()}/blocker.js`)).status).toBe(404);
    expect((await get('/cdn/none/blocker.js')).status).toBe(404);
  });

  it.each([
    [{ host: 'Tracker.test' }, 'blocking.rules.0.host', 'host_name'],
    [{ host: 'tracker.test/pixel' }, 'blocking.rules.0.host', 'host_name'],
    [{ path: 'pixel' }, 'blocking.rules.0.path', 'path_pattern'],
    [{ category: 'ads' }, 'blocking.rules.0.category', undefined],
  ])('refuses the rule %j', async (member, field, code) => {
    const project = await createTestProject(service);
    const rules = [{ host: 'tracker.test', category: 'marketing', ...member }];
    const response = await project.request('editor', 'PUT', '/configuration', { blocking: { rules } });
    expect(response.status).toBe(422);
    const { errors } = (await response.json()) as { errors: { field: string; code?: string }[] };
    expect(errors.map((error) => [error.field, error.code])).toEqual([[field, code]]);
  });
});

describe('GET /cdn/:projectId/declaration.html', () => {
  it('shows what is declared in each language of the banner, as text, under a policy without scripts', async () => {
    const project = await createTestProject(service);
    const presets = await project.request(
      'viewer',
      'GET',
      '/configuration/presets?languages=en,de,fr,es,it,nl,pl,pt,sv,da',
    );
    const { texts } = (await presets.json()) as { texts: { language: string }[] };
    const hostile = '<script>alert("x")</script>';
    const controller = { controllerName: 'Tea & Co', controllerContact: 'privacy@tea.example' };
    expect((await project.request('owner', 'PATCH', '', controller)).status).toBe(200);
    const response = await project.request('editor', 'PUT', '/configuration', {
      banner: { enabled: true, accent: '#1f4d3a' },
      texts: texts.filter(({ language }) => ['en', 'de'].includes(language)),
      services: [
        {
          name: 'Counter',
          provider: hostile,
          category: 'analytics',
          policyUrl: "https://example.org/?a&b='onmouseover=alert(1)",
          cookies: [
            {
              name: '_c',
              duration: '1 day',
              purpose: 'Counts visits.',
              translations: [{ language: 'de', duration: '1 Tag', purpose: 'Zählt Besuche.' }],
            },
          ],
        },
        { name: 'Shop', provider: 'Example Ltd', category: 'necessary' },
      ],
    });
    expect(response.status).toBe(200);
    const path = `/cdn/${project.id}/declaration.html`;
    const answer = await until('published', async () => {
      const got = await get(path);
      return got.body.toString().includes('_c') ? got : null;
    });
    const html = answer.body.toString();
    expect(html).not.toContain('<script');
    // The page itself allows its two styles only.
    expect(html).toMatch(/content="default-src &#39;none&#39;; style-src &#39;sha256-\S+ &#39;sha256-\S+;/);
    expect(html).toContain('<h2>Verantwortlich</h2>Tea &amp; Co');
    expect(html).toContain('<a href="mailto:privacy@tea.example">');
    expect(html).toMatch(/<h2>Last updated<\/h2>\w+ \d+, \d{4}, version 1</);
    expect(html).toContain('--brand:#1f4d3a;--brand-on:#ffffff');
    expect(html).toContain('href="https://example.org/?a&amp;b=&#39;onmouseover=alert(1)"');
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain('<section id="de" lang="de">');
    expect(html).toContain('<section class="category" id="de-analytics">');
    expect(html).toContain('<td dir="auto">Zählt Besuche.</td><td dir="auto">1 Tag</td>');
    expect(html.indexOf('Shop')).toBeLessThan(html.indexOf('Counter'));
    expect(answer.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'unsafe-inline'; img-src 'self'/,
      ),
      'cache-control': expect.stringMatching(/^public, max-age=60, /),
    });
    expect((await get(path, { 'if-none-match': String(answer.headers.etag) })).status).toBe(304);
    const script = await get(`/cdn/${project.id}/declaration.js`);
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.body.toString()).toContain('Zählt Besuche.');
  });

  it('says that nothing is declared, and is 404 for an unknown project', async () => {
    const project = await createTestProject(service);
    expect((await get(`/cdn/${project.id}/declaration.html`)).body.toString()).toContain(
      'No services are declared.',
    );
    for (const kind of ['js', 'html'])
      expect((await get(`/cdn/${newId()}/declaration.${kind}`)).status).toBe(404);
  });
});

describe('GET /cdn/:projectId/banner-….js', () => {
  it('serves the banner that a configuration names, for good, and an older one as long as it is published', async () => {
    const project = await createTestProject(service);
    await project.request('editor', 'PUT', '/configuration', { banner: { enabled: true } });
    const { storage } = service.settings.publishing;
    if (storage.kind !== 'folder') throw new Error('not a folder');
    const folder = join(storage.path, project.id);
    // The route also shows unpublished content: the folder has the published one.
    await until('published', async () => existsSync(join(folder, 'config.json')) || null);
    const document = json(await get(`/cdn/${project.id}/config.json`));
    const path = `/cdn/${project.id}/${String(document.bannerScript)}`;
    const answer = await get(path, { 'accept-encoding': 'gzip' });
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/javascript/),
      'content-encoding': 'gzip',
      'access-control-allow-origin': '*',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect(gunzipSync(answer.body).toString()).toContain('consent-banner');
    expect((await get(path, { 'if-none-match': String(answer.headers.etag) })).status).toBe(304);

    const older = `banner-${'0'.repeat(16)}.js`;
    expect((await get(`/cdn/${project.id}/${older}`)).status).toBe(404);
    writeFileSync(join(folder, older), 'older()');
    for (const id of [project.id, project.id.toUpperCase()]) {
      const served = await get(`/cdn/${id}/${older}`);
      expect([served.status, served.body.toString()]).toEqual([200, 'older()']);
    }
  });

  it('serves the signals where a site with its own banner has one on, and in the banner’s file otherwise', async () => {
    const project = await createTestProject(service);
    const script = async (configuration: object): Promise<string> => {
      const saved = await project.request('editor', 'PUT', '/configuration', configuration);
      expect(saved.status).toBe(200);
      return until('published', async () => {
        const document = json(await get(`/cdn/${project.id}/config.json`));
        return document.bannerVersion === (configuration as { bannerVersion: string }).bannerVersion
          ? String(document.bannerScript)
          : null;
      });
    };
    const signals = { metaPixel: true };
    const alone = await script({ bannerVersion: 'alone', signals });
    expect(alone).toMatch(/^signals-[0-9a-f]{16}\.js$/);
    const answer = await get(`/cdn/${project.id}/${alone}`);
    expect(answer.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(answer.body.toString()).not.toContain('consent-banner');
    const both = await script({ bannerVersion: 'both', signals, banner: { enabled: true } });
    expect(both).toMatch(/^banner-[0-9a-f]{16}\.js$/);
    expect((await get(`/cdn/${project.id}/${both}`)).body.toString()).toMatch(/consent-banner[^]*consentv2/);
    expect((await get(`/cdn/${project.id}/signals-${'0'.repeat(16)}.js`)).status).toBe(404);
    expect((await get(`/cdn/none/${alone}`)).status).toBe(404);
  });

  it.each([
    [{ metaPixel: 'yes' }, 'signals.metaPixel'],
    [{ dataLayerEvent: 'two words' }, 'signals.dataLayerEvent'],
    [{ linkedIn: true }, 'signals.linkedIn'],
  ])('refuses the signals %j', async (signals, field) => {
    const project = await createTestProject(service);
    const response = await project.request('editor', 'PUT', '/configuration', { signals });
    expect(response.status).toBe(422);
    expect(((await response.json()) as { errors: object[] }).errors).toMatchObject([{ field }]);
  });

  it.each(['banner-.js', 'banner-..js', 'banner-%2e%2e%2fconfig.json.js', `banner-${'0'.repeat(17)}.js`])(
    'is 404 for %s',
    async (file) => {
      const project = await createTestProject(service);
      expect((await get(`/cdn/${project.id}/${file}`)).status).toBe(404);
    },
  );
});
