/** The banner's look: the style sheet and the project's colors. No inline style or `<style>` is parsed. */
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
export function applyTheme(frame: HTMLElement, { theme, accent, accentDark }: BannerSettings): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const paint = (): void => {
    const isDark = theme === 'dark' || (theme === 'auto' && system.matches);
    frame.classList.toggle('dark', isDark);
    frame.style.setProperty('--accent', isDark ? accentDark : accent);
  };
  if (theme === 'auto') system.addEventListener('change', paint);
  paint();
}
