import { pristineDocument } from '../pristine-document';
import type { BannerSettings } from '../site';

let styled = false;

/** The banner's look: our style sheet, once, and the project's colours. No inline style or `<style>` is parsed. */
export function applyTheme(main: HTMLElement, { theme, accent, accentDark }: BannerSettings): void {
  if (!styled) addStyles();
  styled = true;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const paint = (): void => {
    const dark = theme === 'dark' || (theme === 'auto' && system.matches);
    main.classList.toggle('cc--dark', dark);
    main.style.setProperty('--accent', dark ? accentDark : accent);
  };
  system.addEventListener('change', paint);
  paint();
}

function addStyles(): void {
  try {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(BANNER_CSS);
    pristineDocument('adoptedStyleSheets').push(sheet);
  } catch {
    // A browser from before 2023.
    const style = pristineDocument('createElement')('style');
    style.textContent = BANNER_CSS;
    pristineDocument('head').appendChild(style);
  }
}
