import { SimpleGrid, Stack, TextInput } from '@mantine/core';
import type { PreviewResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { BannerTextField } from './banner-text-field';
import { type BannerText, withEntry } from './configuration';
import type { LanguageProps } from './field-props';
import { LabelFields } from './label-fields';
import { ModeTextFields } from './mode-text-fields';
import { TextChecks } from './text-checks-list';
import { presetFor, type TextMode } from './text-mode';

/** The texts of one language. */
export function TextFields(
  props: LanguageProps & {
    mode: TextMode;
    onMode: (mode: TextMode) => void;
    preview: PreviewResponse | undefined;
  },
) {
  const { form, change, fields, language, presets, mode, onMode, preview } = props;
  const index = form.texts.findIndex((each) => each.language === language);
  const text = form.texts[index];
  if (!text) return null;
  const at = `texts.${index}`;
  const put = (changes: Partial<BannerText>) =>
    change({ texts: withEntry(form.texts, index, { ...text, ...changes }) });
  const shared = { text, at, fields, put };
  const defaults = presetFor(presets, language)?.labels ?? {};
  return (
    <Stack gap="sm">
      <ModeTextFields {...shared} form={form} defaults={defaults} mode={mode} onMode={onMode} />
      <TextInput
        label={t('banner.ownPolicyUrl')}
        type="url"
        placeholder="https://"
        value={form.policyUrl ?? ''}
        error={fields['policyUrl']}
        onChange={(event) => change({ policyUrl: event.currentTarget.value || null })}
      />
      <SimpleGrid cols={2} spacing="sm">
        <BannerTextField name="choose" label={t('banner.textFields.choose')} {...shared} />
        <BannerTextField name="save" label={t('banner.textFields.save')} {...shared} />
      </SimpleGrid>
      <LabelFields {...shared} defaults={defaults} />
      <TextChecks form={form} change={change} presets={presets} preview={preview} />
    </Stack>
  );
}
