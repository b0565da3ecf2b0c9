import { messagesOf } from '../../../platform/messages/messages.js';
import { type BannerText, CATEGORIES, type Labels } from './banner-text.js';

/** All texts of a banner in one language. */
export interface DefaultText extends BannerText {
  labels: Labels;
}

/** The languages of `messages/site.*.json`. */
export const DEFAULT_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'da'] as const;
type DefaultLanguage = (typeof DEFAULT_LANGUAGES)[number];

const read = new Map<DefaultLanguage, DefaultText>();

/** Banner texts used where the owner has not written any. */
export const defaultTexts = (): DefaultText[] => DEFAULT_LANGUAGES.map(textIn);

/** Default texts of a language; a tag such as `pt-BR` falls back to `pt`, unknown languages to English. */
export function defaultText(language: string): DefaultText {
  return textIn(defaultLanguage(language) ?? 'en');
}

/** Like `defaultText`, but undefined for unknown languages. */
export function knownText(language: string): DefaultText | undefined {
  const known = defaultLanguage(language);
  return known && textIn(known);
}

function defaultLanguage(tag: string): DefaultLanguage | undefined {
  const first = tag.toLowerCase().split('-')[0];
  return DEFAULT_LANGUAGES.find((language) => language === first);
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
  const known = DEFAULT_LANGUAGES.find((each) => each === language.split('-')[0]);
  return { ...messagesOf('site', known ?? 'en').declaration, language: known ? language : 'en' };
}
