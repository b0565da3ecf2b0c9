/** Placeholders of frames that wait for consent, each with a button that allows its category. */
import { pristineDocument } from '../pristine-document';
import type { Category, SiteService } from '../site';
import { isolateForeignText } from './direction';
import { button, element } from './element';
import { describeCategory, type Prompt } from './prompt';
import { isRightToLeft } from './rules';
import { addStyles, applyTheme } from './theme';

const WAITING = BY_SERVICE
  ? 'iframe:is([data-category],[data-service])[data-src]'
  : 'iframe[data-category][data-src]';

export interface BlockedFrames {
  /** Adds placeholders of blocked frames, and removes those of released ones. */
  update(): void;
}

export const hasBlockedFrame = (): boolean => pristineDocument('querySelector')(WAITING) !== null;

export function blockedFrames(prompt: Prompt, allow: (name: string) => void): BlockedFrames {
  /** With each frame's own `display`. */
  const placeholders = new Map<HTMLIFrameElement, { placeholder: HTMLElement; display: string }>();
  const { categories, services } = prompt.configuration;
  const offered: string[] = BY_SERVICE ? [...categories, ...serviceNames(services).keys()] : categories;
  return {
    update() {
      for (const [frame, { placeholder, display }] of placeholders) {
        if (frame.isConnected && frame.matches(WAITING)) continue;
        placeholder.remove();
        frame.style.setProperty('display', display);
        placeholders.delete(frame);
      }
      for (const frame of pristineDocument('querySelectorAll')<HTMLIFrameElement>(WAITING)) {
        const { category, service } = frame.dataset;
        const name = (BY_SERVICE && service) || (category as string);
        // A category or service that is not offered is never allowed.
        if (placeholders.has(frame) || !offered.includes(name)) continue;
        const placeholder = createPlaceholder(prompt, frame, name, () => allow(name));
        placeholders.set(frame, { placeholder, display: frame.style.display });
        frame.before(placeholder);
        frame.style.setProperty('display', 'none', 'important');
      }
    },
  };
}

/** The services that visitors choose, with their names. */
const serviceNames = (services: SiteService[]): Map<string, string> =>
  new Map(
    services.flatMap(({ id, category, name }) =>
      id && category !== 'necessary' ? [[id, name ?? id] as const] : [],
    ),
  );

/** The elements that wait for a category or, if visitors choose by service, for a service. */
export const selectorOf = (name: string): string =>
  BY_SERVICE
    ? `:is([data-service="${name}"],[data-category="${name}"]:not([data-service]))`
    : `[data-category="${name}"]`;

/** Takes back a frame that has been loaded; it waits again. */
export function blockFrames(name: string): void {
  const loaded = `iframe${selectorOf(name)}:not([data-src])`;
  for (const frame of pristineDocument('querySelectorAll')<HTMLIFrameElement>(loaded)) {
    if (!frame.getAttribute('src')) continue;
    frame.dataset.src = frame.src;
    frame.src = 'about:blank';
  }
}

function createPlaceholder(
  prompt: Prompt,
  frame: HTMLIFrameElement,
  name: string,
  allow: () => void,
): HTMLElement {
  const { configuration, text } = prompt;
  const title =
    (BY_SERVICE && serviceNames(configuration.services).get(name)) ||
    describeCategory(prompt, name as Category).title;
  const withTitle = (label = '{category}'): string => label.replace('{category}', title);
  const host = element('div', '');
  const shadow = host.attachShadow({ mode: 'open' });
  addStyles(shadow);
  const box = element(
    'div',
    'frame placeholder',
    element('p', '', frame.title && element('b', '', frame.title), withTitle(text.labels.blockedFrame)),
    button('small', withTitle(text.labels.allowCategory), allow),
  );
  box.setAttribute('role', 'group');
  box.lang = text.language;
  box.dir = isRightToLeft(text.language) ? 'rtl' : 'ltr';
  if (configuration.banner) applyTheme(box, configuration.banner);
  isolateForeignText(box, box.dir === 'rtl');
  takePlace(host, box, frame);
  shadow.append(box);
  return host;
}

/** Gives the placeholder the place and size of the frame; it becomes narrower with the page. */
function takePlace(host: HTMLElement, box: HTMLElement, frame: HTMLIFrameElement): void {
  const { position, top, left, display, margin, verticalAlign } = getComputedStyle(frame);
  host.style.setProperty('--consent-margin', margin);
  host.style.setProperty('--consent-align', verticalAlign);
  if (display.startsWith('inline')) host.className = 'in-line';
  const { width, height } = frame.getBoundingClientRect();
  const size = { width: width || Number(frame.width) || 300, height: height || Number(frame.height) || 150 };
  Object.assign(box.style, {
    width: `${size.width}px`,
    maxWidth: '100%',
    minHeight: `${size.height}px`,
    // Frames in wrappers that keep their proportions.
    ...(position === 'absolute' && { position, top, left }),
  });
}
