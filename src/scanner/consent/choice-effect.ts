import { createHash } from 'node:crypto';
import type { Cookie, Page } from 'playwright-core';
import { within } from '../browser/within.js';

const COMMAND_TIMEOUT_MS = 3_000;
/** How long a choice may take to show an effect. */
const EFFECT_TIMEOUT_MS = 3_000;
const POLL_MS = 200;
const CHARACTERS_MAX = 200_000;

/** Runs in the page: its storage, its consent signals, and the number of boxes above it. */
const PAGE_SCRIPT = `(() => {
  const text = (value) => { try { return JSON.stringify(value) ?? ''; } catch { return ''; } };
  const consents = Array.isArray(window.dataLayer) ? [...window.dataLayer].filter((each) => each && each[0] === 'consent') : [];
  const visible = (each) => each.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && each.getBoundingClientRect().height > 0;
  const roots = [document];
  for (let at = 0; at < roots.length && roots.length < 50; at += 1)
    for (const each of [...roots[at].querySelectorAll('*')].slice(0, 20000)) if (each.shadowRoot) roots.push(each.shadowRoot);
  const boxes = roots.flatMap((root) => [...root.querySelectorAll('*')].slice(0, 20000)).filter((each) =>
    (each.matches('dialog, [role=dialog], [role=alertdialog]') || ['fixed', 'sticky'].includes(getComputedStyle(each).position)
      || /cookie|consent/i.test(each.id + ' ' + each.className)) && visible(each));
  const stored = (() => { try { return text({ ...localStorage }) + text({ ...sessionStorage }); } catch { return ''; } })();
  return { stored: (stored + consents.map((each) => text(Array.from(each))).join()).slice(0, ${CHARACTERS_MAX}), boxes: boxes.length };
})()`;

interface PageState {
  /** Hash over cookies, storage and consent signals. */
  stored: string;
  /** Visible dialogs, layers and boxes that are named after cookies or consent. */
  boxes: number;
}

/** Whether a choice shows an effect on its page: its storage or consent signals change, or a box disappears. */
export class ChoiceEffect {
  private before: PageState | null = null;

  constructor(private readonly page: Page) {}

  /** Reads the page before the choice. */
  async note(): Promise<void> {
    this.before = await readState(this.page);
  }

  async shows(): Promise<boolean> {
    const deadlineMs = performance.now() + EFFECT_TIMEOUT_MS;
    for (;;) {
      const [before, now] = [this.before, await readState(this.page)];
      if (before && now && (now.stored !== before.stored || now.boxes < before.boxes)) return true;
      if (performance.now() > deadlineMs) return false;
      await new Promise((wake) => setTimeout(wake, POLL_MS));
    }
  }
}

/** null: the page cannot be read, e.g. while it loads another one. */
async function readState(page: Page): Promise<PageState | null> {
  const read = await within<unknown>(COMMAND_TIMEOUT_MS, page.evaluate(PAGE_SCRIPT), null);
  const cookies = await within<Cookie[] | null>(COMMAND_TIMEOUT_MS, page.context().cookies(), null);
  if (typeof read !== 'object' || read === null || cookies === null) return null;
  const { stored, boxes } = read as Record<string, unknown>;
  if (typeof stored !== 'string' || typeof boxes !== 'number') return null;
  const pairs = cookies.map(({ name, value, domain, path }) => [domain, path, name, value].join('\n'));
  const hash = createHash('sha256').update(JSON.stringify([pairs.toSorted(), stored]));
  return { stored: hash.digest('hex'), boxes };
}
