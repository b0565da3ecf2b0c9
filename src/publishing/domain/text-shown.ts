import type { BannerText } from './banner-text.js';
import type { SiteConfiguration } from './configuration.js';

/**
 * The words that a visitor was shown in a language (BCP 47, in any case): the banner tells the language of the words that
 * it took, so another one comes from a banner of the site's own, and the default language stands for it.
 */
export function textShown(
  { texts, defaultLanguage }: Pick<SiteConfiguration, 'texts' | 'defaultLanguage'>,
  language: string | null,
): BannerText | null {
  const of = (wanted: string | null): BannerText | undefined =>
    texts.find((text) => text.language.toLowerCase() === wanted?.toLowerCase());
  return of(language) ?? of(defaultLanguage) ?? null;
}
