import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { get, type IncomingHttpHeaders } from 'node:http';
import { pricingPage } from '../../src/modules/pages/http/pricing-page.js';
import { startTestService, type TestService } from '../support/programs/service.js';

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
      notLimitedByTier: expect.any(Array),
      limitsOfEveryTier: {
        eventEndpoints: 10,
        eventDaysKept: 30,
        eventRecoveryDays: 14,
        importFileBytes: 1024 ** 3,
        importFilesKeptDays: 7,
      },
      contactUrl: null,
    });
    expect(pricing.tiers[1]).toEqual({
      tier: 'pro',
      name: 'Pro',
      price: {
        currency: 'USD',
        monthly: { perMonth: 700, perYear: 8400 },
        yearly: { perMonth: 500, perYear: 6000 },
      },
      limits: { pagesPerScan: 100, scansPerDay: 5 },
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
  it('shows the prices of /v1/pricing, monthly and yearly, without a script, and is cached like it', async () => {
    const { headers, body } = await read();
    const { tiers } = JSON.parse(body) as {
      tiers: {
        tier: string;
        price: { monthly: { perMonth: number } | null; yearly: { perMonth: number; perYear: number } | null };
      }[];
    };
    const page = await fetch(`${service.baseUrl}/pricing`);
    const html = await page.text();
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(page.headers.get('cache-control')).toBe(headers['cache-control']);
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(html).not.toContain('<script');
    for (const { tier, price } of tiers) {
      const card = textOfCard(html, tier);
      const { monthly, yearly } = price;
      if (!monthly || !yearly) expect(card).toBe('');
      else if (monthly.perMonth === 0) expect(card).toContain('$0 Free for as long as you like');
      else
        expect(card).toContain(
          `$${monthly.perMonth / 100} / month or $${yearly.perMonth / 100} / month billed yearly ($${yearly.perYear / 100})`,
        );
    }
    const etag = page.headers.get('etag') ?? '';
    const again = await fetch(`${service.baseUrl}/pricing`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('lists what each plan adds to the plan below it', async () => {
    const { html } = await pageOf('/pricing', 'en');
    const added = ['lite', 'pro', 'business'].map(
      (tier) => /(?:Includes:|plus:) (.*)/.exec(textOfCard(html, tier))?.[1],
    );
    expect(added).toEqual([
      'No plan limit on domains, consent records per month, team members, API requests, and webhooks One rule worldwide Custom domains (not set up on this server) Scans of up to 30 pages',
      'Consent forwarding to your endpoint CSV and PDF export Scans of up to 100 pages',
      'Consent and site analytics Region rules Scheduled scans Scans of up to 350 pages',
    ]);
  });

  it.each([
    ['en', 'Pages per scan'],
    ['de', 'Seiten pro Scan'],
  ])('checks off every feature in some plan (%s)', async (language, pages) => {
    const { html } = await pageOf(`/pricing/${language}`, language);
    const rows = [...html.matchAll(/<tr><th scope="row">(.*?)<\/th>(.*?)<\/tr>/g)].map(
      ([, title = '', cells = '']) => ({ title: textOf(title), cells }),
    );
    const unchecked = rows.filter(({ cells }) => !cells.includes('icon-check'));
    expect(unchecked[0]?.title).toBe(pages);
    expect(unchecked.slice(1).every(({ cells }) => /Unlimited|Unbegrenzt/.test(cells))).toBe(true);
  });

  it('uses the typeface and the icon of the dashboard, which its policy allows', async () => {
    const { html, headers } = await pageOf('/pricing', 'en');
    const policy = headers.get('content-security-policy') ?? '';
    for (const [found, type, directive] of [
      [/url\((\/assets\/inter-[^)]*\.woff2)\)/, 'font/woff2', "font-src 'self'"],
      [/<link rel="icon" href="([^"]*)"/, 'image/svg+xml', "img-src 'self'"],
    ] as const) {
      const path = found.exec(html)?.[1];
      const answer = await fetch(`${service.baseUrl}${path}`);
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
      expect(policy.split('; ')).toContain(directive);
    }
  });

  it('links to sign-up from each plan with a price, and offers the others only with a contact', async () => {
    const links = (html: string): string[] =>
      ['lite', 'pro', 'business', 'enterprise'].map(
        (tier) => /<a class="button[^"]*" href="([^"]*)"/.exec(cardOf(html, tier))?.[1] ?? '',
      );
    const { html: without } = await pageOf('/pricing', 'en');
    expect(links(without)).toEqual(['/sign-up', '/sign-up', '/sign-up', '']);
    expect(without).not.toContain('Enterprise');
    const { html } = pricingPage('en', {
      contactUrl: 'mailto:sales@example.com?subject="a"&b=c',
      hasCustomDomains: true,
    });
    expect(links(html)[3]).toBe('mailto:sales@example.com?subject=&quot;a&quot;&amp;b=c');
    expect(textOfCard(html, 'enterprise')).toMatch(
      /Pages per scan by agreement .*Contact us or write to sales@example.com/,
    );
    expect(html).toContain('<th scope="col">Enterprise</th>');
    const { html: page } = pricingPage('en', {
      contactUrl: 'https://example.com/contact',
      hasCustomDomains: false,
    });
    expect(textOfCard(page, 'enterprise')).not.toContain('write to');
  });

  it('keeps custom domains where they are not set up, and says so', async () => {
    const note = 'Custom domains <small>(not set up on this server)</small>';
    expect((await pageOf('/pricing', 'en')).html.split(note)).toHaveLength(3);
    const { html } = pricingPage('en', { contactUrl: '', hasCustomDomains: true });
    expect(html.split('Custom domains')).toHaveLength(3);
    expect(html).not.toContain('not set up');
  });

  it('is in German for browsers that prefer it, and under a separate address', async () => {
    const german = await pageOf('/pricing', 'de-AT,de;q=0.9,en;q=0.8');
    expect(german.html).toContain('<html lang="de">');
    expect(german.html).toContain('<h1>Ein Preis pro Website.');
    expect(textOfCard(german.html, 'pro')).toMatch(
      /7\s\$ \/ Monat oder 5\s\$ \/ Monat bei jährlicher Abrechnung \(60\s\$\)/,
    );
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

const cardOf = (html: string, tier: string): string =>
  /<section[^>]*>[\s\S]*?<\/section>/.exec(html.slice(html.indexOf(`id="${tier}"`) - 30))?.[0] ?? '';

/** The words between the tags. */
const textOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s*\n\s*|  +/g, ' ')
    .trim();

const textOfCard = (html: string, tier: string): string => textOf(cardOf(html, tier));
