import { pristineDocument } from './pristine-document';
import type { BannerText, SiteConfiguration } from './site';

/** The rest is the browser's own button, which everybody can read. */
const LINK_STYLE = 'position:fixed;padding:8px;bottom:8px;left:8px;z-index:9';

let link: HTMLElement | undefined;

/** Adds the permanent link to the page, once, in the language that the banner would use. */
export const addSettingsLink = (site: SiteConfiguration, open: () => void): void => {
  if (link || !site.banner?.link) return;
  const text = [
    pristineDocument('documentElement').lang,
    ...navigator.languages,
    site.defaultLanguage,
  ].flatMap((tag) =>
    site.texts.filter(({ language }) => language.split('-')[0] === tag.split('-')[0]),
  )[0] as BannerText;
  const button = pristineDocument('createElement')('button');
  button.style.cssText = LINK_STYLE;
  button.lang = text.language;
  button.textContent = text.labels.settingsLink as string;
  button.onclick = open;
  // Throws while there is no body; called again when the page has been parsed.
  link = pristineDocument('body').appendChild(button);
};
