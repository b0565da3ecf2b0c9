import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../support/programs/browser.js';
import { pageFaults } from '../support/rules/page-faults.js';
import { type LoneService, startLoneService } from '../support/programs/processes.js';
import { differenceFrom, screenshotFile } from '../support/rules/screenshots.js';

const FOLDER = join(import.meta.dirname, 'styleguide');

let service: LoneService;
let browser: Browser;

beforeAll(async () => {
  service = await startLoneService();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe.each(['light', 'dark'] as const)('the styleguide, %s', (colorScheme) => {
  it.each([1280, 375])('looks as committed and has nothing that axe finds, %i px', async (width) => {
    const page = await browser.newPage({
      colorScheme,
      reducedMotion: 'reduce',
      viewport: { width, height: 800 },
    });
    // Relative times stay the same.
    await page.clock.setFixedTime('2026-11-25T12:00:00Z');
    await page.goto(`${service.baseUrl}/styleguide`);
    await page.getByRole('heading', { level: 1, name: 'Styleguide' }).waitFor();
    expect(await pageFaults(page)).toEqual([]);
    // One screenshot per part, so that a part that grows does not move the others.
    const parts = await page.locator('main > div > *').all();
    expect(parts.length).toBeGreaterThan(8);
    const differences: (string | null)[] = [];
    for (const [index, part] of parts.entries()) {
      const screenshot = await part.screenshot({ animations: 'disabled', caret: 'hide' });
      differences.push(
        differenceFrom(screenshotFile(FOLDER, `${colorScheme}-${width}-${index}`), screenshot),
      );
    }
    expect(differences.filter(Boolean)).toEqual([]);
    await page.close();
  });
});
