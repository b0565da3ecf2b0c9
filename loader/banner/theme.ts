/** The banner's look: the style sheet and the project's colors. No inline style or `<style>` is parsed. */
import { pristineDocument } from '../pristine-document';
import type { BannerSettings } from '../site';
import { element } from './element';

let sheet: CSSStyleSheet | undefined;

export function addStyles(root: ShadowRoot): void {
  try {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(BANNER_CSS);
    }
    root.adoptedStyleSheets = [sheet];
  } catch {
    // A browser from before 2023.
    root.append(element('style', '', BANNER_CSS));
  }
}

/** Follows the visitor's system where the owner leaves it to the system. */
export function applyTheme(frame: HTMLElement, settings: BannerSettings): void {
  const paint = (): void => {
    const dark = isDark(settings);
    frame.classList.toggle('dark', dark);
    frame.style.setProperty('--accent', dark ? settings.accentDark : settings.accent);
  };
  if (settings.radius !== undefined) frame.style.setProperty('--radius', `${settings.radius}px`);
  const page = pristineDocument('body');
  if (settings.font === 'site' && page) frame.style.fontFamily = getComputedStyle(page).fontFamily;
  if (settings.theme === 'auto') system().addEventListener('change', paint);
  paint();
}

export const isDark = ({ theme }: BannerSettings): boolean =>
  theme === 'dark' || (theme === 'auto' && system().matches);

const system = (): MediaQueryList => matchMedia('(prefers-color-scheme: dark)');
