import type { ElementHandle, Frame, Page } from 'playwright-core';
import { within } from '../browser/within.js';
import type { BeforeChoice } from './choice.js';
import {
  ACCEPT_WORDS,
  BANNER_NAMES,
  COOKIE_WORDS,
  DATA_WORDS,
  DOCUMENT_TITLES,
  MORE_WORDS,
  OTHER_WORDS,
  REJECT_WORDS,
  REOPEN_WORDS,
} from './words.js';

const CLICK_TIMEOUT_MS = 3_000;
const COMMAND_TIMEOUT_MS = 3_000;
/** How long a banner may take to appear. */
const APPEAR_TIMEOUT_MS = 3_000;
const POLL_MS = 200;
const FRAMES_MAX = 20;

/** A box with less text than this besides its controls is a part of the box around it, such as a row of buttons. */
const BOX_CHARACTERS_MIN = 20;
const BOX_CHARACTERS_MAX = 20_000;

/**
 * Runs in a frame: `{ banner, button }`, whether a box asks for consent, and the first control with one of the words in
 * such a box. The innermost box around a control decides: its text must be about cookies, tracking or data processing,
 * because boxes of terms have an "I agree", too. `anywhere`: controls of the whole page count. Neither links to other pages
 * nor fields of forms are controls.
 */
function searchScript(words: readonly string[], anywhere: boolean): string {
  return `(() => {
  const words = new Map(${JSON.stringify(words)}.map((word, place) => [word, place]));
  const names = /${BANNER_NAMES}/i, cookies = /${COOKIE_WORDS}/iu, data = /${DATA_WORDS}/iu, others = /${OTHER_WORDS}/iu;
  const titles = /${DOCUMENT_TITLES}/giu;
  const CONTROLS = 'button, a, [role=button], [role=link], input[type=button], input[type=submit], summary, span[onclick], div[onclick]';
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
  const isFrame = window.top !== window && names.test(location.href);
  const isNamed = (each) => names.test(each.id + ' ' + each.className) || (isFrame && each === document.body);
  const isLayer = (each) => isNamed(each) || each.matches('dialog, [role=dialog], [role=alertdialog]')
    || ['fixed', 'sticky'].includes(getComputedStyle(each).position);
  const textIn = (each) => {
    const host = each.getRootNode().host;
    return String((each.innerText || each.textContent || '') + (host ? ' ' + host.textContent : '')).slice(0, ${BOX_CHARACTERS_MAX} + 1);
  };
  const isRow = (each, text) =>
    text.length - [...each.querySelectorAll(CONTROLS)].reduce((sum, control) => sum + label(control).length, 0) < ${BOX_CHARACTERS_MIN};
  const parentOf = (each) => each.parentElement || (each.getRootNode().host ?? null);
  const belongs = (control) => {
    for (let each = parentOf(control); each; each = parentOf(each)) {
      const inLayer = isLayer(each);
      if (!inLayer && !each.matches('form, fieldset, article, section')) continue;
      const text = textIn(each);
      const asked = text.replace(titles, ' ');
      if (cookies.test(asked)) { if (inLayer) return text.length <= ${BOX_CHARACTERS_MAX}; continue; }
      if (isRow(each, text)) continue;
      if (others.test(asked)) return false;
      if (inLayer) return text.length <= ${BOX_CHARACTERS_MAX} && (data.test(asked) || isNamed(each));
    }
    return false;
  };
  const isControl = (each) => {
    if (!visible(each) || each.disabled) return false;
    if (each.matches('a[href]') && !/^(#|javascript:|$)/i.test(each.getAttribute('href')) && !(${anywhere} && /^#/.test(each.hash) && each.pathname === location.pathname)) return false;
    const form = each.closest('form');
    return !form || !form.querySelector('input[type=text], input[type=email], input[type=password], input[type=search], textarea');
  };
  const controls = all(CONTROLS).filter(isControl);
  const asking = ${anywhere} ? controls : controls.filter(belongs);
  const found = asking.filter((each) => words.has(label(each))).toSorted((a, b) => words.get(label(a)) - words.get(label(b)));
  return { banner: asking.length > 0, button: found[0] || null };
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
  if (direct.button) return clickButton(direct.button, beforeChoice);
  if (!direct.banner) return 'no_banner';
  if (choice === 'accept') return 'no_control';
  const { button: more } = await search(page, MORE_WORDS, false);
  if (!more || !(await click(more))) return 'no_control';
  const second = await appears(page, words);
  return second.button ? clickButton(second.button, beforeChoice) : 'no_control';
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

async function clickButton(
  button: ElementHandle,
  beforeChoice: BeforeChoice,
): Promise<'made' | 'click_failed'> {
  await beforeChoice();
  return (await click(button)) ? 'made' : 'click_failed';
}

async function click(button: ElementHandle): Promise<boolean> {
  return button.click({ timeout: CLICK_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}
