import Check from 'lucide-react/icons/check';
import TriangleAlert from 'lucide-react/icons/triangle-alert';
import type { ReactNode } from 'react';
import { CONTRAST_MIN } from '../../../../src/modules/publishing/domain/contrast.js';
import type { PreviewResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { withEntry } from './configuration';
import type { LanguageProps } from './field-props';
import { ownLanguageName } from './language-name';
import { buttonContrast, countMissing, fillMissing } from './text-checks';
import { presetFor } from './text-mode';

/** The requirements of a banner, and the missing ones. */
export function TextChecks({
  form,
  change,
  presets,
  preview,
}: Pick<LanguageProps, 'form' | 'change' | 'presets'> & { preview: PreviewResponse | undefined }) {
  const contrast = buttonContrast(form.banner);
  const largest = preview?.visitorBytes.toSorted((a, b) => b.bytes - a.bytes)[0];
  return (
    <ul className="checks" aria-label={t('banner.checks.title')}>
      <Item isGood>{t('banner.checks.equalButtons')}</Item>
      {contrast !== null && (
        <Item isGood={contrast >= CONTRAST_MIN}>
          {t('banner.checks.contrast', { ratio: Math.floor(contrast * 10) / 10, min: CONTRAST_MIN })}
        </Item>
      )}
      {!form.policyUrl && <Item isGood={false}>{t('banner.checks.noPolicy')}</Item>}
      {preview && largest && <Size {...largest} max={preview.visitorBytesMax} />}
      {form.texts.map((text, index) => {
        const count = countMissing(text, preview?.missingTexts ?? []);
        if (count === 0) return null;
        const preset = presetFor(presets, text.language);
        return (
          <Item key={text.language} isGood={false}>
            {isolated(
              t('banner.checks.missing', { language: ownLanguageName(text.language), count }),
              text.language,
            )}{' '}
            {preset && (
              <button
                type="button"
                className="plain-button text-button"
                onClick={() =>
                  change({ texts: withEntry(form.texts, index, fillMissing(text, form.categories, preset)) })
                }
              >
                {t('banner.checks.fill')}
              </button>
            )}
          </Item>
        );
      })}
    </ul>
  );
}

/**
 * A sentence with the language's name in marks of Unicode, since some are written from right to left.
 * In an argument, `t` would show the marks.
 */
function isolated(sentence: string, language: string): string {
  const name = ownLanguageName(language);
  return sentence.replace(name, () => `\u2068${name}\u2069`);
}

/** The download of the language that needs most. */
function Size({ language, bytes, max }: { language: string; bytes: number; max: number }) {
  const isGood = bytes <= max;
  const facts = { language: ownLanguageName(language), bytes, max };
  const sentence = t(isGood ? 'banner.checks.size' : 'banner.checks.tooLarge', facts);
  return <Item isGood={isGood}>{isolated(sentence, language)}</Item>;
}

function Item({ isGood, children }: { isGood: boolean; children: ReactNode }) {
  const Icon = isGood ? Check : TriangleAlert;
  return (
    <li data-good={isGood}>
      <Icon className="icon" aria-hidden />
      <span>{children}</span>
    </li>
  );
}
