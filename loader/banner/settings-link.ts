/** The permanent link to the privacy settings: a small button, or an element of the site's own. */
import { pristineDocument } from '../pristine-document';
import type { Consent } from '../site';
import { isolateForeignText } from './direction';
import { button, element } from './element';
import type { Prompt } from './prompt';
import { isRightToLeft } from './rules';
import { addStyles, applyTheme } from './theme';

/** Elements of the page with this attribute open the settings, and replace the button. */
const OWN_LINK = '[data-consent-settings]';
const HOST_ID = 'consent-settings-link';
const EDGE_PX = 8;

export interface SettingsLink {
  /**
   * Adds or removes the button, and moves it above other elements fixed to the lower edge. A page
   * that scrolls gets room for it at its end, and above that it disappears while text is below it.
   */
  update(isWanted: boolean): void;
}

/** Elements of the page open the settings, before the button's text has loaded, too. */
export function openOnClick(consent: Consent): void {
  pristineDocument('addEventListener')('click', (event) => {
    const [target] = event.composedPath();
    if (!(target instanceof Element) || !target.closest(OWN_LINK)) return;
    event.preventDefault();
    void consent.open();
  });
}

export function settingsLink(prompt: Prompt): SettingsLink {
  const { consent, configuration } = prompt;
  const { banner } = configuration;
  const { host, frame, room } = createButton(prompt, () => void consent.open());
  let isShown = false;
  const place = (): void => {
    if (!isShown) return;
    frame.style.bottom = `${EDGE_PX}px`;
    const bottom = EDGE_PX + heightOfFooter(frame, host);
    frame.style.bottom = `${bottom}px`;
    const page = pristineDocument('documentElement');
    const scrolls = page.scrollHeight - room.offsetHeight > innerHeight;
    room.style.height = scrolls ? `${frame.offsetHeight + bottom + EDGE_PX}px` : '';
    yieldToText();
  };
  const yieldToText = (): void => {
    frame.classList.toggle('aside', isShown && room.style.height !== '' && coversText(frame, host));
  };
  let isWaiting = false;
  const onScroll = (): void => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => {
      isWaiting = false;
      yieldToText();
    });
  };
  addEventListener('resize', place);
  addEventListener('load', place);
  addEventListener('scroll', onScroll, { passive: true });
  return {
    update(isWanted) {
      isShown = isWanted && banner?.link === true && !pristineDocument('querySelector')(OWN_LINK);
      if (!isShown) host.remove();
      else if (!host.isConnected) pristineDocument('body')?.appendChild(host);
      place();
    },
  };
}

function createButton(
  { configuration: { banner }, text }: Prompt,
  open: () => void,
): { host: HTMLElement; frame: HTMLElement; room: HTMLElement } {
  const host = element('div', '');
  host.id = HOST_ID;
  const shadow = host.attachShadow({ mode: 'open' });
  addStyles(shadow);
  const frame = element('div', 'frame', button('settings', text.labels.settingsLink ?? '', open));
  frame.lang = text.language;
  frame.dir = isRightToLeft(text.language) ? 'rtl' : 'ltr';
  isolateForeignText(frame, frame.dir === 'rtl');
  if (banner) applyTheme(frame, banner);
  const room = element('div', '');
  shadow.append(room, frame);
  frame.style.cssText = `position:fixed;z-index:99;${banner?.linkPosition ?? 'left'}:${EDGE_PX}px`;
  return { host, frame, room };
}

/** Whether text of the page is below the button. */
function coversText(frame: HTMLElement, host: HTMLElement): boolean {
  const box = frame.getBoundingClientRect();
  const y = box.top + box.height / 2;
  return [0, 0.25, 0.5, 0.75, 1].some((share) => {
    const elements = pristineDocument('elementsFromPoint')(box.left + share * (box.width - 1), y);
    const covered = elements.find((found) => found !== host);
    return covered !== undefined && hasTextIn(covered, box);
  });
}

function hasTextIn(covered: Element, box: DOMRect): boolean {
  const range = pristineDocument('createRange')();
  return [...covered.childNodes].some((node) => {
    if (node.nodeType !== Node.TEXT_NODE || !node.textContent?.trim()) return false;
    range.selectNodeContents(node);
    return [...range.getClientRects()].some(
      ({ left, right, top, bottom }) =>
        left < box.right && right > box.left && top < box.bottom && bottom > box.top,
    );
  });
}

/** How far a bar that is fixed to the lower edge of the window reaches up where the button is. */
function heightOfFooter(frame: HTMLElement, host: HTMLElement): number {
  const { left, top, width, height } = frame.getBoundingClientRect();
  const below = pristineDocument('elementsFromPoint')(left + width / 2, top + height / 2);
  const bars = below.map((covered) => (covered === host ? null : fixedBar(covered)));
  return Math.max(0, ...bars.map((bar) => (bar ? innerHeight - bar.getBoundingClientRect().top : 0)));
}

/**
 * The fixed or sticky element around this one at the lower edge that leaves most of the window
 * free.
 */
function fixedBar(inner: Element): Element | null {
  for (let outer: Element | null = inner; outer; outer = outer.parentElement) {
    if (!/fixed|sticky/.test(getComputedStyle(outer).position)) continue;
    const { top, bottom } = outer.getBoundingClientRect();
    if (bottom > innerHeight - EDGE_PX && top > innerHeight / 2) return outer;
  }
  return null;
}
