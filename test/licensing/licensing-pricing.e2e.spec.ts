import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { get, type IncomingHttpHeaders } from 'node:http';
import { startTestService, type TestService } from '../support/service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

/** Unlike `fetch`, it adds no headers. */
function read(headers: Record<string, string> = {}): Promise<{
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}> {
  return new Promise((resolve, reject) => {
    get(`${service.baseUrl}/v1/pricing`, { headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    }).on('error', reject);
  });
}

describe('GET /v1/pricing (spec §4.3)', () => {
  it('spec §2.3, §8: gives prices, limits and features to anybody', async () => {
    const { status, headers, body } = await read();
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const pricing = JSON.parse(body) as { tiers: { tier: string }[] };
    expect(pricing.tiers.map(({ tier }) => tier)).toEqual(['lite', 'pro', 'business', 'enterprise']);
    expect(pricing).toMatchObject({
      currency: 'USD',
      planned: ['pagesPerScan', 'scheduledScans', 'customDomains'],
      notLimitedByTier: expect.any(Array),
    });
    expect(pricing.tiers[1]).toEqual({
      tier: 'pro',
      name: 'Pro',
      price: {
        currency: 'USD',
        monthly: { perMonth: 700, perYear: 8400 },
        yearly: { perMonth: 500, perYear: 6000 },
      },
      limits: { pagesPerScan: 100 },
      features: {
        scheduledScans: false,
        geoTargeting: 'global',
        export: true,
        analytics: false,
        customDomains: true,
        consentForwarding: true,
      },
    });
  });

  it('may be cached, and embedded from any origin', async () => {
    const { headers } = await read({ origin: 'https://www.example.com' });
    expect(headers).toMatchObject({
      'cache-control': 'public, max-age=300, stale-while-revalidate=86400',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    expect(headers['set-cookie']).toBeUndefined();
  });

  it('answers 304 without a body to its own ETag, in every form of the header', async () => {
    const { headers } = await read();
    const etag = headers.etag ?? '';
    expect(etag).toMatch(/^"[\w-]{20,}"$/);
    for (const ifNoneMatch of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await read({ 'if-none-match': ifNoneMatch, 'cache-control': 'no-cache' });
      expect(again).toMatchObject({ status: 304, body: '' });
      expect(again.headers).toMatchObject({
        etag,
        'cache-control': headers['cache-control'],
        'access-control-allow-origin': '*',
      });
    }
  });

  it('answers 200 to another ETag', async () => {
    for (const ifNoneMatch of ['"other"', '', 'nonsense', '"', ',']) {
      expect(await read({ 'if-none-match': ifNoneMatch })).toMatchObject({ status: 200 });
    }
  });

  it('answers HEAD and the preflight of a browser', async () => {
    const head = await fetch(`${service.baseUrl}/v1/pricing`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('etag')).toMatch(/^"/);
    const preflight = await fetch(`${service.baseUrl}/v1/pricing`, { method: 'OPTIONS' });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
  });
});

describe('GET /pricing (spec §2.5)', () => {
  it('shows what /v1/pricing tells, monthly and yearly, to who has no script, and is cached as that is', async () => {
    const { headers, body } = await read();
    const { tiers } = JSON.parse(body) as {
      tiers: {
        name: string;
        price: { monthly: { perMonth: number } | null; yearly: { perMonth: number } | null };
      }[];
    };
    const page = await fetch(`${service.baseUrl}/pricing`);
    const html = await page.text();
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe(headers['cache-control']);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(html).not.toContain('<script');
    const shown = (minor: number): string => `>$${minor / 100} per month<`;
    for (const { name, price } of tiers) {
      const card = html.split('<section').find((part) => part.includes(`>${name}</h2>`)) ?? '';
      const { monthly, yearly } = price;
      if (!monthly || !yearly) expect(card).toContain('By agreement');
      else if (monthly.perMonth === 0) expect(card).toContain('Free');
      else
        expect([card.includes(shown(monthly.perMonth)), card.includes(shown(yearly.perMonth))]).toEqual([
          true,
          true,
        ]);
    }
    const etag = page.headers.get('etag') ?? '';
    const again = await fetch(`${service.baseUrl}/pricing`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it.each([
    ['en', 'planned', ['Pages per scan', 'Scheduled scans', 'Custom domains']],
    ['de', 'geplant', ['Seiten pro Scan', 'Geplante Scans', 'Eigene Domains']],
  ])('marks what does not exist yet in every tier (%s)', async (language, word, titles) => {
    const { html } = await pageOf(`/pricing/${language}`, language);
    const marked = [...html.matchAll(/<dt>([^<]*) \(([^)]*)\)<\/dt>/g)].map(([, title, mark]) => [
      title,
      mark,
    ]);
    expect(marked).toHaveLength(4 * titles.length);
    for (const title of titles) expect(marked.filter(([each]) => each === title)).toHaveLength(4);
    expect(new Set(marked.map(([, mark]) => mark))).toEqual(new Set([word]));
  });

  it('speaks German to who asks for it, under addresses of its own too', async () => {
    const german = await pageOf('/pricing', 'de-AT,de;q=0.9,en;q=0.8');
    expect(german.html).toContain('<html lang="de">');
    expect(german.html).toContain('<h1>Preise</h1>');
    expect(german.html).toMatch(/>7\s\$ pro Monat<[\s\S]*monatlich[\s\S]*>5\s\$ pro Monat<[\s\S]*jährlich/);
    expect(german.headers.get('content-language')).toBe('de');
    expect(german.headers.get('vary')).toContain('Accept-Language');
    for (const [path, accepted, language] of [
      ['/pricing', 'fr', 'en'],
      ['/pricing', '*', 'en'],
      ['/pricing/de', 'en', 'de'],
      ['/pricing/en', 'de', 'en'],
    ] as const) {
      const { html } = await pageOf(path, accepted);
      expect([path, accepted, /<html lang="(..)">/.exec(html)?.[1]]).toEqual([path, accepted, language]);
      for (const [other, href] of [
        ['en', '/pricing/en'],
        ['de', '/pricing/de'],
        ['x-default', '/pricing'],
      ])
        expect(html).toContain(`<link rel="alternate" hreflang="${other}" href="${href}">`);
    }
    expect((await fetch(`${service.baseUrl}/pricing/fr`)).status).toBe(404);
  });
});

async function pageOf(path: string, accepted: string): Promise<{ html: string; headers: Headers }> {
  const answer = await fetch(`${service.baseUrl}${path}`, { headers: { 'accept-language': accepted } });
  return { html: await answer.text(), headers: answer.headers };
}
