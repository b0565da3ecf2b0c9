import { BANNER_BACKGROUNDS, COLOR, contrastOf } from '../../../../src/modules/publishing/domain/contrast.js';
import type { MissingTextsResponse } from '../../client/types.gen';
import type { BannerText, Configuration } from './configuration';
import { TEXT_MEMBERS } from './text-mode';

/** Labels that a banner shows in every mode. */
export const COMMON_LABELS = {
  page: ['settingsLink', 'blockedFrame', 'allowCategory', 'reloadText', 'reload'],
  secondLayer: [
    'necessaryTitle',
    'necessaryDescription',
    'close',
    'policyLink',
    'services',
    'searchServices',
    'cookieOne',
    'cookieCount',
    'controller',
    'consentId',
    'copy',
    'download',
    'withdraw',
    'erase',
    'eraseQuestion',
    'failed',
  ],
} as const;

/** The lowest contrast of the buttons in the themes that visitors see; null while a color is being typed. */
export function buttonContrast({
  theme,
  accent,
  accentDark,
}: Pick<Configuration['banner'], 'theme' | 'accent' | 'accentDark'>): number | null {
  const pairs: [string | undefined, string][] = [
    ...(theme === 'dark' ? [] : [[accent, BANNER_BACKGROUNDS.light] as [string | undefined, string]]),
    ...(theme === 'light' ? [] : [[accentDark, BANNER_BACKGROUNDS.dark] as [string | undefined, string]]),
  ];
  if (!pairs.every(([color]) => COLOR.test(color ?? ''))) return null;
  return Math.min(...pairs.map(([color, background]) => contrastOf(color ?? '', background)));
}

/** Number of texts that a language lacks: empty ones, and the service's `missingTexts`. */
export function countMissing(text: BannerText, missingTexts: MissingTextsResponse[]): number {
  const fields = missingTexts.find(({ language }) => language === text.language)?.fields ?? [];
  return new Set([...TEXT_MEMBERS.filter((member) => text[member].trim() === ''), ...fields]).size;
}

/** The text with our translation for missing parts. */
export function fillMissing(
  text: BannerText,
  categories: Configuration['categories'],
  preset: BannerText,
): BannerText {
  const members = TEXT_MEMBERS.filter((member) => text[member].trim() === '');
  const told = text.categories ?? [];
  return {
    ...text,
    ...Object.fromEntries(members.map((member) => [member, preset[member]])),
    categories: [
      ...told.filter(({ key }) => !categories.includes(key)),
      ...categories.flatMap((key) => {
        const ours = preset.categories?.find((each) => each.key === key);
        const own = told.find((each) => each.key === key);
        const title = own?.title.trim() ? own.title : ours?.title;
        const description = own?.description.trim() ? own.description : ours?.description;
        if (title !== undefined && description !== undefined) return [{ key, title, description }];
        return own ? [own] : [];
      }),
    ],
  };
}
