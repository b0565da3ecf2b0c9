/** The permanent link to the privacy settings: a small button, or an element of the site's own. */
import { pristineDocument } from '../pristine-document';
import { button, element } from './element';
import type { Prompt } from './prompt';
import { isRightToLeft } from './rules';
import { addStyles, applyTheme } from './theme';

/** Elements of the page with this attribute open the settings, and replace the button. */
const OWN_LINK = '[data-consent-settings]';
const HOST_ID = 'consent-settings-link';
const EDGE_PX = 8;

export interface SettingsLink {
  /** Adds or removes the button, and moves it above other elements fixed to the lower edge. */
  update(isWanted: boolean): void;
}

export function settingsLink(prompt: Prompt): SettingsLink {
  const { consent, configuration } = prompt;
  const { banner } = configuration;
  const open = (): void => void consent.open();
  const { host, frame } = createButton(prompt, open);
  let isShown = false;
  pristineDocument('addEventListener')('click', (event) => {
    const [target] = event.composedPath();
    if (!(target instanceof Element) || !target.closest(OWN_LINK)) return;
    event.preventDefault();
    open();
  });
  const place = (): void => {
    if (!isShown) return;
    frame.style.bottom = `${EDGE_PX}px`;
    frame.style.bottom = `${EDGE_PX + heightOfFooter(frame, host)}px`;
  };
  addEventListener('resize', place);
  addEventListener('load', place);
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
): { host: HTMLElement; frame: HTMLElement } {
  const host = element('div', '');
  host.id = HOST_ID;
  const shadow = host.attachShadow({ mode: 'open' });
  addStyles(shadow);
  const frame = element('div', 'frame', button('settings', text.labels.settingsLink ?? '', open));
  frame.lang = text.language;
  frame.dir = isRightToLeft(text.language) ? 'rtl' : 'ltr';
  if (banner) applyTheme(frame, banner);
  shadow.append(frame);
  frame.style.cssText = `position:fixed;z-index:99;${banner?.linkPosition ?? 'left'}:${EDGE_PX}px`;
  return { host, frame };
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
