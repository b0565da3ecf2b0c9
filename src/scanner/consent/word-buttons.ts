import type { ElementHandle, Frame, Page } from 'playwright-core';
import { within } from '../within.js';
import type { BeforeChoice } from './choice.js';
import { ACCEPT_WORDS, MORE_WORDS, REJECT_WORDS, REOPEN_WORDS, SUBJECT } from './words.js';

const CLICK_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 3_000;
/** How long a banner may take to appear, and to disappear after a choice. */
const APPEAR_TIMEOUT_MS = 3_000;
const GONE_TIMEOUT_MS = 3_000;
const POLL_MS = 200;
const FRAMES_MAX = 20;

/**
 * Runs in a frame: `{ banner, button }`, whether something asks for consent, and the first control with one of the words
 * in it. `anywhere`: controls of the whole page count. Neither links to other pages nor fields of forms are controls.
 */
function searchScript(words: readonly string[], anywhere: boolean): string {
  return `(() => {
  const words = new Map(${JSON.stringify(words)}.map((word, place) => [word, place]));
  const subject = /${SUBJECT}/i;
  const label = (each) => String(each.getAttribute('aria-label') && !each.textContent.trim() ? each.getAttribute('aria-label') : each.value || each.textContent)
    .replace(/\\s+/g, ' ').trim().toLowerCase().replace(/[\\s.!✓✔✕×»›→>]+$/u, '').replace(/’/g, "'");
  const visible = (each) => {
    const { width, height } = each.getBoundingClientRect();
    return width > 0 && height > 0 && (!each.checkVisibility || each.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
  };
  const roots = [document];
  for (let at = 0; at < roots.length && roots.length < 50; at += 1)
    for (const each of [...roots[at].querySelectorAll('*')].slice(0, 20000)) if (each.shadowRoot) roots.push(each.shadowRoot);
  const all = (selector) => roots.flatMap((root) => [...root.querySelectorAll(selector)]);
  const isBanner = (each) => {
    const text = each.textContent || '';
    if (!visible(each) || text.length > 20000 || !subject.test(text) || !each.querySelector('button, [role=button], a, input[type=button]')) return false;
    const named = subject.test(each.id + ' ' + each.className);
    const position = getComputedStyle(each).position;
    return named || position === 'fixed' || position === 'sticky' || each.matches('dialog, [role=dialog], [role=alertdialog]');
  };
  const banners = all('dialog, [role=dialog], [role=alertdialog], aside, section, form, div, footer, body > *').filter(isBanner);
  const inside = window.top !== window && subject.test(location.href) && document.body ? [document.body] : [];
  const places = ${anywhere} ? roots : [...banners, ...inside];
  const isControl = (each) => {
    if (!visible(each) || each.disabled) return false;
    if (each.matches('a[href]') && !/^(#|javascript:|$)/i.test(each.getAttribute('href')) && !(${anywhere} && /^#/.test(each.hash) && each.pathname === location.pathname)) return false;
    const form = each.closest('form');
    return !form || !form.querySelector('input[type=text], input[type=email], input[type=password], input[type=search], textarea');
  };
  const controls = places
    .flatMap((place) => [...place.querySelectorAll('button, a, [role=button], [role=link], input[type=button], input[type=submit], summary, span[onclick], div[onclick]')])
    .filter((each) => words.has(label(each)) && isControl(each))
    .toSorted((a, b) => words.get(label(a)) - words.get(label(b)));
  return { banner: banners.length + inside.length > 0, button: controls[0] || null };
})()`;
}

/** Clicks what the words say. `no_banner`, `no_control`, `click_failed`: nothing was chosen. */
export async function chooseByWords(
  page: Page,
  choice: 'accept' | 'reject',
  beforeChoice: BeforeChoice,
): Promise<'made' | 'no_banner' | 'no_control' | 'click_failed'> {
  const words = choice === 'accept' ? ACCEPT_WORDS : REJECT_WORDS;
  const direct = await appears(page, words);
  if (direct.button) return clickAndWatch(direct.button, beforeChoice);
  if (!direct.banner) return 'no_banner';
  if (choice === 'accept') return 'no_control';
  const { button: more } = await search(page, MORE_WORDS, false);
  if (!more || !(await click(more))) return 'no_control';
  const second = await appears(page, words);
  return second.button ? clickAndWatch(second.button, beforeChoice) : 'no_control';
}

/** Opens the banner of a page again, after a choice. */
export async function reopenByWords(page: Page): Promise<boolean> {
  const { button } = await search(page, REOPEN_WORDS, true);
  return button !== null && (await click(button));
}

/** Whether a banner offers to refuse consent, although it was refused before. */
export async function asksAgain(page: Page): Promise<boolean> {
  return (await search(page, REJECT_WORDS, false)).button !== null;
}

interface Found {
  banner: boolean;
  button: ElementHandle | null;
}

async function appears(page: Page, words: readonly string[]): Promise<Found> {
  const deadlineMs = performance.now() + APPEAR_TIMEOUT_MS;
  for (;;) {
    const found = await search(page, words, false);
    if (found.button || performance.now() > deadlineMs) return found;
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
}

async function search(page: Page, words: readonly string[], anywhere: boolean): Promise<Found> {
  const script = searchScript(words, anywhere);
  let banner = false;
  for (const frame of page.frames().slice(0, FRAMES_MAX)) {
    const found = await within(COMMAND_TIMEOUT_MS, searchFrame(frame, script), {
      banner: false,
      button: null,
    });
    if (found.button) return found;
    banner ||= found.banner;
  }
  return { banner, button: null };
}

async function searchFrame(frame: Frame, script: string): Promise<Found> {
  const handle = await frame.evaluateHandle(script);
  const [banner, button] = await Promise.all([handle.getProperty('banner'), handle.getProperty('button')]);
  return { banner: (await banner.jsonValue()) === true, button: button.asElement() };
}

/** Whether the control is gone after a click: banners close when they accept a choice. */
async function clickAndWatch(
  button: ElementHandle,
  beforeChoice: BeforeChoice,
): Promise<'made' | 'click_failed'> {
  await beforeChoice();
  if (!(await click(button))) return 'click_failed';
  const deadlineMs = performance.now() + GONE_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    if (!(await within(COMMAND_TIMEOUT_MS, button.isVisible(), false))) return 'made';
    await new Promise((wake) => setTimeout(wake, POLL_MS));
  }
  return 'click_failed';
}

async function click(button: ElementHandle): Promise<boolean> {
  return button.click({ timeout: CLICK_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
