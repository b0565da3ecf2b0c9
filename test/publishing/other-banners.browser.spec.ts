import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { EXTRAS } from '../support/programs/extras.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

/** The files of each library. */
const VENDORS: Record<string, string> = {
  klaro: join(EXTRAS, 'klaro', 'dist'),
  cookieconsent: join(EXTRAS, 'cookieconsent', 'build'),
  tarteaucitron: join(EXTRAS, 'tarteaucitronjs'),
};
const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' };

/** Longer than the slowest of them takes to fade away. */
const FADED_MS = 1_500;

let browser: Browser;
let service: TestService;
let project: TestProject;
let site: Server;
let port = 0;

beforeAll(async () => {
  service = await startTestService();
  browser = await launchBrowser();
  site = createServer((request, response) => {
    const [, folder = '', vendor = '', ...path] = normalize(new URL(`http://x${request.url}`).pathname).split(
      '/',
    );
    const file = folder === 'vendor' ? join(VENDORS[vendor] ?? '', ...path) : join('docs', 'banners', folder);
    try {
      const content = readFileSync(file);
      response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain');
      // The one line of the page that is the customer's own.
      const own = `${service.baseUrl}/cdn/${project.id}/loader.js`;
      response.end(
        extname(file) === '.html'
          ? content.toString().replace('https://cdn.example.com/<projectId>/loader.js', own)
          : content,
      );
    } catch {
      response.writeHead(404).end();
    }
  });
  port = await new Promise<number>((resolve) => {
    site.listen(0, '127.0.0.1', () => resolve((site.address() as AddressInfo).port));
  });
});
afterAll(async () => {
  await browser?.close();
  site?.closeAllConnections();
  site?.close();
  await service?.close();
});

const records = (): Promise<Record<string, unknown>[]> =>
  service.database.query('select * from consent_record where project_id = $1 order by id', [project.id]);

it.each([
  ['klaro', '.cm-btn-success', '.cn-decline, .cm-btn-danger'],
  ['cookieconsent', '.cc-allow', '.cc-deny'],
  ['tarteaucitron', '#tarteaucitronPersonalize2', '#tarteaucitronAllDenied2'],
])('the page with %s hands on what its visitors choose, once', async (name, accept, reject) => {
  project = await createTestProject(service);
  const shown = { language: 'en', surface: 'banner' };
  for (const [selector, expected] of [
    [accept, { ...shown, action: 'accept_all', analytics: true, marketing: true }],
    [reject, { ...shown, action: 'reject_all', analytics: false, marketing: false }],
  ] as const) {
    const before = (await records()).length;
    const context = await browser.newContext();
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.goto(`http://www.example.com:${port}/${name}.html`);
    const button = page.locator(selector).locator('visible=true').first();
    await button.waitFor();
    await until('a record', async () => {
      // One of them listens only some moments after it is to be seen, and another can be clicked while it fades.
      if (await button.isVisible()) await button.click();
      await page.waitForTimeout(FADED_MS);
      return (await records()).length === before + 1;
    });
    expect((await records()).at(-1)).toMatchObject(expected);
    // The next page only applies the choice.
    await page.reload({ waitUntil: 'networkidle' });
    expect(await page.locator(selector).locator('visible=true').count()).toBe(0);
    expect((await records()).length).toBe(before + 1);
    expect(problems).toEqual([]);
    await context.close();
  }
});
