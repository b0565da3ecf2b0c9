import { textLanguage } from '../../../../src/modules/publishing/domain/text-language.js';
import { type BannerText, type Configuration, MODES } from './configuration';

/** Texts of the first layer: one set for each mode that shows a banner, and one where a signal was honored. */
export const TEXT_MODES = ['opt_in', 'opt_out', 'notice', 'signal'] as const;
export type TextMode = (typeof TEXT_MODES)[number];

/** Members of a text. Other names are labels. */
export const TEXT_MEMBERS = ['title', 'description', 'acceptAll', 'rejectAll', 'choose', 'save'] as const;
export type TextMember = (typeof TEXT_MEMBERS)[number];

interface ModeNames {
  title: string;
  description: string;
  accept?: string;
  reject?: string;
  acknowledge?: string;
}

/** Where a text of a mode is stored, by its kind. */
export const MODE_NAMES: Record<TextMode, ModeNames> = {
  opt_in: { title: 'title', description: 'description', accept: 'acceptAll', reject: 'rejectAll' },
  opt_out: {
    title: 'optOutTitle',
    description: 'optOutDescription',
    accept: 'optOutAccept',
    reject: 'optOutReject',
  },
  notice: { title: 'noticeTitle', description: 'noticeDescription', acknowledge: 'acknowledge' },
  signal: { title: 'signalTitle', description: 'signalHonoured' },
};

/** Whether visitors of any region see the texts of this mode. */
export function isModeUsed(
  mode: TextMode,
  {
    defaultModes,
    regionRules,
    categories,
    honorGlobalPrivacyControl,
  }: Pick<Configuration, 'defaultModes' | 'regionRules' | 'categories' | 'honorGlobalPrivacyControl'>,
): boolean {
  const rows = [{ modes: defaultModes, honorGlobalPrivacyControl }, ...regionRules];
  if (mode === 'signal')
    return rows.some(
      (row) =>
        (row.honorGlobalPrivacyControl ?? honorGlobalPrivacyControl) &&
        categories.some((category) => row.modes[category] !== 'opt_in'),
    );
  // The strictest mode decides the words, and a banner that offers nothing only informs.
  const shown = rows.map(({ modes }) => categories.map((category) => modes[category]));
  return shown.some((offered) => (MODES.find((known) => offered.includes(known)) ?? 'notice') === mode);
}

/** The preset in this language, or in the language that it is a variant of. */
export const presetFor = (presets: BannerText[], language: string): BannerText | undefined =>
  presets.find((preset) => preset.language === textLanguage(language));

/**
 * The document for the preview: with the labels of every mode, because a published one has only the
 * labels of modes in use, and with the logo itself, because its file is not published yet.
 */
export function previewDocument(
  document: Readonly<Record<string, unknown>>,
  { texts, defaultLanguage, banner }: Pick<Configuration, 'texts' | 'defaultLanguage' | 'banner'>,
  presets: BannerText[],
): Record<string, unknown> {
  const labelsIn = (language: string): object => ({
    ...presetFor(presets, language)?.labels,
    ...texts.find((text) => text.language === language)?.labels,
  });
  const shown = document['texts'] as BannerText[];
  return {
    ...document,
    banner: { ...(document['banner'] as object), logo: banner.logo ?? null },
    texts: shown.map((text) => ({
      ...text,
      labels: { ...labelsIn(defaultLanguage), ...labelsIn(text.language) },
    })),
  };
}
