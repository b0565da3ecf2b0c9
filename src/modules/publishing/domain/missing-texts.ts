import { type BannerText, LABELS } from './banner-text.js';
import type { SiteConfiguration } from './configuration.js';
import { knownText } from './default-texts.js';
import { unusedLabels } from './document.js';

/** Texts that visitors with this language would see in another one. */
export interface MissingTexts {
  language: string;
  /** `title`, `categories.analytics`, `labels.close`. */
  fields: string[];
}

/** Several words: single ones such as "Marketing" are the same in many languages. */
const PHRASE = /\S\s+\S/;
const PLACEHOLDER = /\{\w+\}/g;

/**
 * The missing texts of our banner in each of its languages at `at`: labels and categories in languages that we
 * have no texts in, and phrases that are the same as in the default language.
 */
export function missingTexts(configuration: SiteConfiguration, at: Date): MissingTexts[] {
  const { banner, texts, defaultLanguage } = configuration;
  const own = texts.find(({ language }) => language === defaultLanguage);
  if (!banner.enabled || !own) return [];
  const unused = unusedLabels(configuration, at);
  const labels = LABELS.filter((name) => !unused.includes(name));
  return texts
    .map((text) => {
      const known = knownText(text.language);
      const isKnown = known !== undefined;
      const ours = known ? phrases(known, configuration) : new Map();
      const given = phrases(text, configuration);
      const others =
        firstPart(text.language) === firstPart(own.language) ? new Map() : phrases(own, configuration);
      return {
        language: text.language,
        fields: [
          ...[...given.keys()].filter((field) => {
            const words = given.get(field) ?? '';
            return (
              (words.trim() === '' && !isKnown) ||
              // Related languages have some phrases in common.
              (words === others.get(field) &&
                words !== ours.get(field) &&
                PHRASE.test(words.replace(PLACEHOLDER, '')))
            );
          }),
          ...labels.filter((name) => !isKnown && !text.labels[name]).map((name) => `labels.${name}`),
        ],
      };
    })
    .filter(({ fields }) => fields.length > 0);
}

const firstPart = (language: string): string | undefined => language.toLowerCase().split('-')[0];

/** The texts that have no default, by field; empty ones are missing. */
function phrases(text: BannerText, { categories }: SiteConfiguration): Map<string, string> {
  const { title, description, acceptAll, rejectAll, choose, save } = text;
  return new Map([
    ...Object.entries({ title, description, acceptAll, rejectAll, choose, save }),
    ...categories.flatMap((key): [string, string][] => {
      const category = text.categories.find((each) => each.key === key);
      return [
        [`categories.${key}.title`, category?.title ?? ''],
        [`categories.${key}.description`, category?.description ?? ''],
      ];
    }),
    ...Object.entries(text.labels).map(([name, label]): [string, string] => [`labels.${name}`, label]),
  ]);
}
