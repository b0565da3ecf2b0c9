import { messagesOf } from '../../../platform/messages/messages.js';
import { type BannerText, CATEGORIES, type Labels } from './banner-text.js';
import { DEFAULT_LANGUAGES, type DefaultLanguage, textLanguage } from './text-language.js';

/** All texts of a banner in one language. */
export interface DefaultText extends BannerText {
  labels: Labels;
}

const read = new Map<DefaultLanguage, DefaultText>();

/** Banner texts used where the owner has not written any, in the languages of these tags. */
export function defaultTexts(tags: readonly string[] = DEFAULT_LANGUAGES): DefaultText[] {
  const languages = tags.flatMap((tag) => textLanguage(tag) ?? []);
  return [...new Set(languages)].map(textIn);
}

/** Default texts of a language; unknown languages have the English ones. */
export function defaultText(language: string): DefaultText {
  return textIn(textLanguage(language) ?? 'en');
}

/** Like `defaultText`, but undefined for unknown languages. */
export function knownText(language: string): DefaultText | undefined {
  const known = textLanguage(language);
  return known && textIn(known);
}

/** In the labels, `{category}` is the title of a category, `{categories}` several of them, `{count}` a number of cookies. */
function textIn(language: DefaultLanguage): DefaultText {
  let text = read.get(language);
  if (!text) {
    const { categories, labels, ...words } = messagesOf('site', language).bannerDefaults;
    const titles = CATEGORIES.map((key) => ({ key, ...categories[key] }));
    text = { language, ...words, categories: titles, labels };
    read.set(language, text);
  }
  return text;
}

/** Our texts in a declaration, around the owner's; in English where the language is unknown. */
export type DeclarationWords = ReturnType<typeof declarationWords>;

export function declarationWords(language: string) {
  const known = textLanguage(language);
  const words = messagesOf('site', known ?? 'en').declaration;
  // Dates and numbers beside our Serbian words are in the Latin script, too.
  return { ...words, language: known === 'sr' ? 'sr-Latn' : known ? language : 'en' };
}
