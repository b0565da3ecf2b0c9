/**
 * The element in the page that carries the banner. A shadow root keeps the page's styles out, and the top layer keeps
 * the page's dialogs from covering it.
 */
import { pristineDocument } from '../pristine-document';
import { BANNER_HOST_ID, type BannerSettings } from '../site';
import { isolateForeignText } from './direction';
import { element } from './element';
import type { Prompt } from './prompt';
import { isRightToLeft } from './rules';
import { addStyles, applyTheme } from './theme';

/** Dialogs of the page dispatch them; older browsers only `close`. They do not bubble. */
const TOGGLE_EVENTS = ['toggle', 'close'] as const;

export interface Host {
  /**
   * Shows only this layer. `focused` gets the focus; if not modal, unless the visitor uses it
   * elsewhere.
   */
  show(layer: HTMLElement, focused?: HTMLElement): void;
  remove(): void;
}

export function createHost({ configuration: { banner }, text, isPreview }: Prompt): Host {
  const host = element('div', '');
  host.id = BANNER_HOST_ID;
  const shadow = host.attachShadow({ mode: 'open' });
  addStyles(shadow);
  const frame = element('div', `frame ${placeClasses(banner)}`);
  frame.classList.toggle('still', isPreview);
  frame.lang = text.language;
  frame.dir = isRightToLeft(text.language) ? 'rtl' : 'ltr';
  if (banner) applyTheme(frame, banner);
  shadow.append(frame);

  let layer: HTMLElement | undefined;
  /**
   * Moves the host to a position that is not inert. A move removes the layer from the top layer, so
   * it is shown again.
   */
  const place = (): void => {
    const parent = openDialog() ?? pristineDocument('body');
    if (!parent || !layer || host.parentNode === parent) return;
    const focused = shadow.activeElement as HTMLElement | null;
    parent.appendChild(host);
    putOnTop(layer, isPreview);
    focused?.focus();
  };
  // The page may remove a dialog without closing it, or replace its body.
  const observer = new MutationObserver(() => host.parentNode && !host.isConnected && place());
  for (const type of TOGGLE_EVENTS) pristineDocument('addEventListener')(type, place, true);
  observer.observe(pristineDocument('documentElement'), { childList: true, subtree: true });
  return {
    show(next, focused = next) {
      // The layer itself gets the focus, so that screen readers begin with its title.
      layer = next;
      frame.replaceChildren(layer);
      isolateForeignText(layer, frame.dir === 'rtl');
      if (host.isConnected) putOnTop(layer, isPreview);
      else place();
      // Scrollable content must be reachable by keyboard in every browser.
      const body = layer.querySelector<HTMLElement>('.body');
      if (body && body.scrollHeight > body.clientHeight) body.tabIndex = 0;
      if (!isPreview && (layer.matches('dialog') || mayTakeFocus())) focused.focus({ preventScroll: true });
    },
    remove() {
      observer.disconnect();
      for (const type of TOGGLE_EVENTS) pristineDocument('removeEventListener')(type, place, true);
      host.remove();
    },
  };
}

/** `top left`, `middle center`, `bar top`: the edge and the side of the window, as the style sheet names them. */
function placeClasses(banner: BannerSettings | undefined): string {
  const { layout, position = 'left' } = banner ?? {};
  const [edge, side] = position === 'middle' ? ['middle', 'center'] : position.split('-');
  if (layout === 'bar') return edge === 'top' ? 'bar top' : 'bar';
  return `${edge} ${side ?? ''}`;
}

/**
 * The page's modal dialog, if one is open: everything outside of it is inert, even content above
 * it.
 */
function openDialog(): Element | undefined {
  try {
    return [...pristineDocument('querySelectorAll')('dialog:modal')].pop();
  } catch {
    // A browser that does not support the selector.
    return undefined;
  }
}

function putOnTop(layer: HTMLElement, isPreview: boolean): void {
  if (layer instanceof HTMLDialogElement) {
    layer.removeAttribute('open');
    // A modal dialog would take the focus from the field that the owner is editing.
    if (isPreview) layer.setAttribute('open', '');
    else layer.showModal();
  } else if ('popover' in layer) {
    layer.popover = 'manual';
    layer.showPopover();
  }
}

/** Whether the keyboard focus is not in use elsewhere, on this page or around its frame. */
function mayTakeFocus(): boolean {
  const active = pristineDocument('activeElement');
  const isFree =
    !active || active === pristineDocument('body') || active === pristineDocument('documentElement');
  return isFree && (window === window.top || pristineDocument('hasFocus')());
}
