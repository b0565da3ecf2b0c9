import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderGuide } from '../../src/modules/pages/http/guides.js';
import { DOMAIN_ERROR_STATUS, OTHER_ERROR_STATUS } from '../../src/platform/errors/domain-error.js';
import { PROBLEM_SCHEMA } from '../../src/platform/openapi/problem-examples.js';
import { startTestService, type TestService } from '../support/programs/service.js';

describe('the documentation that the service serves', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const get = (path: string, headers = {}): Promise<Response> => fetch(service.baseUrl + path, { headers });
  const html = async (path: string): Promise<string> => (await get(path, { accept: 'text/html' })).text();
  const guidesIn = (page: string): string[] =>
    [...new Set([...page.matchAll(/href="(\/docs\/[\w-]+)"/g)].map(([, path = '']) => path))].filter(
      (path) => path !== '/docs/guides',
    );

  it('has the API reference at /docs, with a viewer of its own and inline styles on this page alone', async () => {
    const response = await get('/docs');
    const policy = response.headers.get('content-security-policy') ?? '';
    const page = await response.text();
    expect(page).toContain("url: '/docs-json'");
    expect(policy).toContain("style-src 'self' 'unsafe-inline'");
    expect(policy).not.toContain('https:');
    const [, script = ''] = /<script src="([^"]+)"/.exec(page) ?? [];
    const viewer = await get(script);
    expect([viewer.status, viewer.headers.get('cache-control')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect((await get('/docs/guides')).headers.get('content-security-policy')).not.toContain('unsafe-inline');
    expect((await get('/docs/receiver')).headers.get('content-security-policy')).not.toContain(
      'unsafe-inline',
    );
  });

  it('serves each guide as a page and as Markdown, and every link within them, from a build too', async () => {
    const guides = guidesIn(await html('/docs/guides'));
    expect(guides.length).toBeGreaterThan(15);
    const pages = new Map<string, string>();
    for (const path of guides) {
      pages.set(path, await html(path));
      const markdown = await get(`${path}.md`);
      expect([path, markdown.headers.get('content-type')]).toEqual([path, 'text/markdown; charset=utf-8']);
      expect(await markdown.text()).toMatch(/^# /);
    }
    const seen = new Set<string>();
    for (const [path, page] of pages) {
      const [, main = ''] = /<main[^>]*>(.*)<\/main>/s.exec(page) ?? [];
      for (const [, href = ''] of main.matchAll(/(?:href|src)="([^"]+)"/g)) {
        if (/^https?:/.test(href)) continue;
        const [target = '', anchor] = href.startsWith('#') ? [path, href.slice(1)] : href.split('#');
        if (anchor !== undefined)
          expect([href, pages.get(target)]).toEqual([href, expect.stringContaining(`id="${anchor}"`)]);
        else if (!seen.has(target)) {
          expect([href, (await get(target)).status]).toEqual([href, 200]);
          const [file = ''] = /^\/docs\/[\w-]+\/[\w.-]+$/.exec(target) ?? [];
          expect([file, existsSync(join('dist', file))]).toEqual([file, true]);
        }
        seen.add(target);
      }
    }
  });

  it('sends samples as text, and only what a guide names', async () => {
    const sample = await get('/docs/samples/receiver.php');
    expect([sample.status, sample.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect((await get('/docs/images/scan.png')).headers.get('content-type')).toBe('image/png');
    for (const path of [
      '/docs/run',
      '/docs/README',
      '/docs/samples/..%2fREADME.md',
      '/docs/images/path-1-sign-up.png',
      '/docs/adr/0001.md',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });

  it('names no document that only operators have', async () => {
    expect(await (await get('/docs/accounts.md')).text()).not.toContain('](settings.md)');
    expect(await html('/docs/accounts')).not.toContain('/docs/settings');
  });

  it('has a cause and a fix for every error code under its status, and for no other', async () => {
    const codes = PROBLEM_SCHEMA.properties.code.enum;
    const statuses: Record<string, number> = { ...DOMAIN_ERROR_STATUS, ...OTHER_ERROR_STATUS };
    const sections = (await (await get('/docs/errors.md')).text()).split(/^## /m).slice(1);
    const found = sections.flatMap((section) => {
      const status = Number(/^\d+/.exec(section)?.[0]);
      const entries = section.split(/^### /m).slice(1);
      return entries.map((entry) => {
        const [, code = ''] = /^`(\w+)`\n\n\S.{10,}\.\n\n\*\*Fix:\*\* \S.{10,}\.\n*$/.exec(entry) ?? [entry];
        expect([code, status]).toEqual([code, statuses[code]]);
        return code;
      });
    });
    expect(found.toSorted()).toEqual(codes.toSorted());
  });

  it('names the entry of an error in its type, also of one before Express', async () => {
    const types = await Promise.all(
      [get('/v1/projects/x'), get('/v1/nothing'), get('/v1/%ff'), get(`/${'x'.repeat(20_000)}`)].map(
        async (response) => ((await (await response).json()) as { type: string }).type,
      ),
    );
    const page = await html('/docs/errors');
    expect(types.map((type) => new URL(type).pathname)).toEqual(types.map(() => '/docs/errors'));
    const anchors = types.map((type) => new URL(type).hash.slice(1));
    expect(anchors).toEqual(['authentication_required', 'not_found', 'bad_request', 'headers_too_large']);
    for (const anchor of anchors) expect(page).toContain(`<h3 id="${anchor}">`);
  });

  it('lists the documents and the contract in llms.txt', async () => {
    const list = await get('/llms.txt');
    expect(list.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const text = await list.text();
    expect(text).toMatch(/^# Service\n\n> /);
    const paths = [...text.matchAll(/\]\(http:\/\/127\.0\.0\.1:0([^)]+)\)/g)].map(([, path = '']) => path);
    expect(paths).toContain('/docs/errors.md');
    for (const path of paths) expect([path, (await get(path)).status]).toEqual([path, 200]);
  });

  it('sends 304 to the ETag of a page', async () => {
    const etag = (await get('/docs/receiver')).headers.get('etag') ?? '';
    expect((await get('/docs/receiver', { 'if-none-match': etag })).status).toBe(304);
  });
});

describe('a guide', () => {
  it('shows markup as text, and links only to addresses of the web', () => {
    const { html, headings } = renderGuide(
      '# One\n\n## Two `three`\n\n<script>alert(1)</script> <b>bold</b>\n\n[x](javascript:alert(1)) [y](//evil.example)\n\n```html\n<b>\n```\n\n![a"b](https://evil.example/x.png)',
    );
    expect(html).not.toMatch(/<script|<b>|javascript:|<img|<a|evil\.example/);
    expect(html).toContain('&lt;script&gt;');
    expect(html).toContain('<h2 id="two-three">Two <code>three</code></h2>');
    expect(headings).toEqual([{ id: 'two-three', text: 'Two three' }]);
  });
});
