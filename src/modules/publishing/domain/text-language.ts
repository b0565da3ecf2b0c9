/** The languages of `messages/site.*.json`; docs/languages.md has their names. */
export const DEFAULT_LANGUAGES = [
  ...(['en', 'de', 'fr', 'es', 'it', 'nl', 'pl', 'pt', 'sv', 'da'] as const),
  ...(['bg', 'hr', 'cs', 'et', 'fi', 'el', 'hu', 'ga', 'lv', 'lt', 'mt', 'ro', 'sk', 'sl'] as const),
  ...(['uk', 'no', 'is', 'tr', 'sr', 'ar', 'he', 'ja', 'ko', 'zh-Hans', 'zh-Hant'] as const),
  ...(['hi', 'bn', 'ta', 'te', 'mr', 'gu', 'kn', 'ml', 'pa', 'ur', 'id', 'ms', 'fil', 'th', 'vi'] as const),
] as const;
export type DefaultLanguage = (typeof DEFAULT_LANGUAGES)[number];

/** Other codes of these languages. */
const OTHER_CODES: Readonly<Record<string, DefaultLanguage>> = {
  nb: 'no',
  nn: 'no',
  iw: 'he',
  in: 'id',
  tl: 'fil',
};
const TRADITIONAL_CHINESE = ['hant', 'tw', 'hk', 'mo'];

/** The language of our texts for a tag (BCP 47): `pt-BR` is `pt`, `zh-TW` is `zh-Hant`; undefined: we have none. */
export function textLanguage(tag: string): DefaultLanguage | undefined {
  const [first = '', ...others] = tag.toLowerCase().split('-');
  if (first === 'zh')
    return !others.includes('hans') && others.some((part) => TRADITIONAL_CHINESE.includes(part))
      ? 'zh-Hant'
      : 'zh-Hans';
  const code = Object.hasOwn(OTHER_CODES, first) ? OTHER_CODES[first] : first;
  return DEFAULT_LANGUAGES.find((language) => language === code);
}
