import { readFileSync } from 'node:fs';
import type { Frame, Page } from 'playwright-core';
import { requireExtra } from './extras.js';

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
declare const document: { documentElement: { scrollWidth: number }; getAnimations(): Animation[] };
declare const window: { innerWidth: number };

const AXE = readFileSync(requireExtra.resolve('axe-core/axe.min.js'), 'utf8');
const AXE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What axe finds on a page, or in a frame, as it stands, and whether it is wider than its window. Waits until nothing fades
 * in or out any more, because colors are mixed until then.
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
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(
    (tags) => axe.run(document, { resultTypes: ['violations'], runOnly: tags }),
    AXE_TAGS,
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(' ')}`);
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  return wider > 0 ? [...found, `${wider} px wider than the window`] : found;
}
