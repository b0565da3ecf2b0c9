import { readFileSync } from 'node:fs';
import type { Frame, Page } from 'playwright-core';
import { requireExtra } from '../programs/extras.js';

// What runs inside a page knows these; the DOM's own types would be there for the whole program.
declare const axe: {
  run(
    root: unknown,
    options: unknown,
  ): Promise<{ violations: { id: string; nodes: { target: string[] }[] }[] }>;
};
interface Animation {
  effect: { getComputedTiming(): { endTime: number } } | null;
  playState: string;
}
declare const document: {
  documentElement: { scrollWidth: number; dataset: Record<string, string | undefined> };
  getAnimations(): Animation[];
};
declare const window: { innerWidth: number };

const AXE = readFileSync(requireExtra.resolve('axe-core/axe.min.js'), 'utf8');
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * axe's results for a page or frame in its current state, and whether it is wider than its window.
 * Waits for the end of fades, because colors are mixed until then.
 */
export async function pageFaults(page: Page | Frame): Promise<string[]> {
  // Looks once a frame: without a reason to draw one, Chromium leaves a transition of 0.01 ms running forever.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every(
        ({ effect, playState }) =>
          playState !== 'running' || !Number.isFinite(effect?.getComputedTiming().endTime),
      ),
  );
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    // It waits half a second for each frame without axe. Tests look at frames separately.
    (tags) =>
      axe.run(document, { resultTypes: ['violations'], runOnly: tags, iframes: false, preload: false }),
    AXE_TAGS,
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')}`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return wider > 0 ? [...found, `${wider} px wider than the window`] : found;
}

/** The window sizes and color schemes in which each page is looked at. */
const APPEARANCES: { width: number; colorScheme: 'light' | 'dark' }[] = [
  { width: 1280, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
  { width: 375, colorScheme: 'light' },
  { width: 375, colorScheme: 'dark' },
];
/** For other words in the same colors. */
export const WIDTHS = APPEARANCES.filter(({ colorScheme }) => colorScheme === 'light');

/**
 * The faults of a page on a desk and on a phone, light and dark, without loading it again; then the page is on a light
 * desk. `more` looks for others in each of them.
 */
export async function faultsInEachAppearance(
  page: Page,
  more: (width: number) => Promise<string[]> = async () => [],
  appearances = APPEARANCES,
): Promise<string[]> {
  const found: string[] = [];
  for (const { width, colorScheme } of appearances) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    // The dashboard follows the browser's color scheme in a script.
    await page.waitForFunction(
      (scheme: string) =>
        [undefined, scheme].includes(document.documentElement.dataset['mantineColorScheme']),
      colorScheme,
    );
    for (const fault of [...(await pageFaults(page)), ...(await more(width))])
      found.push(`${width} px, ${colorScheme}: ${fault}`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 800 });
  return found;
}
