import type { BannerText } from './banner-text.js';
import type { SiteConfiguration } from './configuration.js';

/**
 * The texts that a visitor saw in a language (BCP 47, in any case). Our banner sends the language of the texts that it
 * used; an unknown one comes from the site's own banner, and the default language's texts are returned.
 */
export function textShown(
  { texts, defaultLanguage }: Pick<SiteConfiguration, 'texts' | 'defaultLanguage'>,
  language: string | null,
): BannerText | null {
  const of = (candidate: string | null): BannerText | undefined =>
    texts.find((text) => text.language.toLowerCase() === candidate?.toLowerCase());
  return of(language) ?? of(defaultLanguage) ?? null;
}
