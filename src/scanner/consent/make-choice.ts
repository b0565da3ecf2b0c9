import { createHash } from 'node:crypto';
import type { Cookie, Page } from 'playwright-core';
import { within } from '../browser/within.js';
import { chooseByRules } from './autoconsent.js';
import type { BeforeChoice, Choice, ChoiceResult } from './choice.js';
import { chooseByVendor, chooseInOwnBanner, readOwnBanner } from './known-banners.js';
import { chooseByWords, reopenByWords } from './word-buttons.js';

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
class ChoiceEffect {
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

/**
 * Makes a choice in the banner of the page, and clicks only controls of consent: in our own banner, through the documented
 * API of a few others, by the rules of autoconsent, or by the words on buttons. For `withdraw` the banner is opened again.
 */
export async function makeChoice(
  page: Page,
  choice: Choice,
  beforeChoice: BeforeChoice,
): Promise<ChoiceResult> {
  const own = await readOwnBanner(page);
  if (own) return chooseInOwnBanner(page, own, { choice, beforeChoice });
  const effect = new ChoiceEffect(page);
  await effect.note();
  const beforeClick = async (): Promise<void> => {
    await beforeChoice();
    await effect.note();
  };
  const vendor = await chooseByVendor(page, choice, beforeClick);
  if (vendor !== null) return madeBy(`api:${vendor}`, await effect.shows());
  if (choice === 'withdraw') {
    if (!(await reopenByWords(page))) return { kind: 'failed', reason: 'no_withdrawal' };
    await effect.note();
  }
  // A rule does not wait before it clicks, so the page is not read again.
  const byRules = await chooseByRules(page, choice === 'accept' ? 'optIn' : 'optOut', beforeChoice);
  if (byRules.kind === 'made') return madeBy(`autoconsent:${byRules.cmp}`, await effect.shows());
  const byWords = await chooseByWords(page, choice === 'accept' ? 'accept' : 'reject', beforeClick);
  if (byWords === 'made') return madeBy('heuristic', await effect.shows());
  if (byWords === 'no_banner' && byRules.kind === 'failed') return { kind: 'failed', reason: 'click_failed' };
  return { kind: 'failed', reason: byWords };
}

/** A click that changes nothing is no choice. */
function madeBy(driver: string, hasEffect: boolean): ChoiceResult {
  return hasEffect ? { kind: 'made', driver, reason: null } : { kind: 'failed', reason: 'click_failed' };
}
