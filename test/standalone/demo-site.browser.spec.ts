import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { mountDemoSite } from '../../src/standalone/demo/demo-site.js';
import { createHttpApp } from '../../src/programs/http-app.js';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { requireExtra } from '../support/programs/extras.js';
import { createTestProject, type TestProject } from '../support/people/project.js';
import { launchBrowser } from '../support/programs/browser.js';
import { startTestService, type TestService } from '../support/programs/service.js';
import { until } from '../support/until.js';

const AXE = readFileSync(requireExtra.resolve('axe-core/axe.min.js'), 'utf8');

let browser: Browser;
let service: TestService;
let app: NestExpressApplication;
let project: TestProject;
beforeAll(async () => {
  service = await startTestService();
  project = await createTestProject(service);
  await project.request('editor', 'PUT', '/configuration', { banner: { enabled: true } });
  app = await createHttpApp(service.settings, {
    mount: (mounted) =>
      mountDemoSite(mounted, {
        mailFolder: '',
        projectId: () => project.id,
        received: () => Promise.resolve([]),
      }),
  });
  await app.listen(0, '127.0.0.1');
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.close();
  await service?.close();
});

// What runs inside a page knows these; the DOM's own types would be there for the whole program.
declare const document: {
  getElementById(id: string): {
    shadowRoot: { querySelector(selector: string): { classList: { contains(name: string): boolean } } };
  };
  body: object;
};
declare function getComputedStyle(element: object): { backgroundColor: string };

const records = (): Promise<Record<string, unknown>[]> =>
  service.database.query('select * from consent_record where project_id = $1 order by id', [project.id]);

describe('the pricing page', () => {
  it.each(
    (['light', 'dark'] as const).flatMap((scheme) =>
      [1280, 375].flatMap((width) =>
        (['en', 'de'] as const).map((locale) => [scheme, width, locale] as const),
      ),
    ),
  )('has no finding of axe and does not scroll sideways: %s, %d px, %s', async (...wanted) => {
    const [colorScheme, width, locale] = wanted;
    const context = await browser.newContext({ colorScheme, locale, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('console', (message) => problems.push(message.text()));
    await page.goto(`${await app.getUrl()}/pricing`);
    await page.getByRole('heading', { name: 'Business', exact: true }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe(locale);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    // By the debugger: the page itself lets no script run.
    const session = await context.newCDPSession(page);
    await session.send('Runtime.evaluate', { expression: AXE });
    const { result } = await session.send('Runtime.evaluate', {
      expression: `axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id }) => id)))`,
      awaitPromise: true,
      returnByValue: true,
    });
    expect(JSON.parse(String(result.value))).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('the demo site', () => {
  it.each(['light', 'dark'] as const)(
    'shows every category with its description at once, %s',
    async (colorScheme) => {
      const context = await browser.newContext({ colorScheme, viewport: { width: 1280, height: 720 } });
      const page = await context.newPage();
      await page.goto(`${await app.getUrl()}/demo`);
      await page.getByRole('button', { name: 'Customize' }).click();
      for (const text of [
        'Required for the site to work. Always on.',
        'Helps us understand how the site is used.',
        'Lets us and our partners show you relevant ads.',
        'Remembers your settings.',
      ]) {
        const description = page.locator('.second').getByText(text);
        await description.waitFor();
        // Also inside of the modal's own window: content outside the visible area does not count.
        const seen = await description.evaluate((element) => {
          const { top, bottom, left } = element.getBoundingClientRect();
          const at = (y: number): boolean =>
            element.contains(element.getRootNode().elementFromPoint(left + 2, y));
          return bottom > top && at(top + 2) && at(bottom - 2);
        });
        expect([text, seen]).toEqual([text, true]);
      }
      const isDark = await page.evaluate(() =>
        document
          .getElementById('consent-banner')
          .shadowRoot.querySelector('.frame')
          .classList.contains('dark'),
      );
      expect(isDark).toBe(colorScheme === 'dark');
      const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(background).toBe(colorScheme === 'dark' ? 'rgb(23, 22, 19)' : 'rgb(246, 243, 236)');
      await context.close();
    },
  );

  it('shows a banner, and stores the choice through the loader', async () => {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') problems.push(message.text());
    });
    await page.goto(`${await app.getUrl()}/demo`);
    await page.getByRole('button', { name: 'Accept all' }).first().click();
    const status = page.locator('#status[data-http-status="201"]');
    await status.waitFor();
    expect(await status.textContent()).toMatch(/^Stored as [0-9a-f-]{36} in \d+ ms\.$/);
    expect(await records()).toMatchObject([
      {
        id: await status.getAttribute('data-consent-id'),
        analytics: true,
        marketing: true,
        preferences: true,
        action: 'accept_all',
        hostname: '127.0.0.1',
      },
    ]);
    expect(JSON.parse((await page.locator('#meta').textContent()) ?? '')).toMatchObject({
      tier: 'lite',
      projectId: project.id,
    });

    // The loader's words are read without scrolling sideways.
    expect(await page.locator('#meta').evaluate((code) => code.scrollWidth <= code.clientWidth)).toBe(true);
    expect(await page.locator('#why').textContent()).toContain('doesn’t include forwarding');
    expect(await page.locator('#why').isVisible()).toBe(true);

    await page.getByRole('button', { name: 'Change my choice' }).click();
    await page.getByRole('button', { name: 'Reject all' }).last().click();
    await until('two records', async () => (await records()).length === 2);
    expect((await records())[1]).toMatchObject({ analytics: false, marketing: false, action: 'reject_all' });
    expect(problems).toEqual([]);
  });
});
