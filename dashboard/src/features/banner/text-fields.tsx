import { Button, Group, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { configurationPresetsOptions } from '../../client/@tanstack/react-query.gen';
import { t } from '../../i18n/i18n';
import { type BannerText, withEntry, withoutEntry } from './configuration';
import { languageName } from '../../shared/display-names';
import type { FieldsProps } from './field-props';
import { CategoryTextFields } from './category-text-fields';
import { LabelFields } from './label-fields';
import { AddLanguage } from './add-language';

const TEXT_NAMES = ['title', 'acceptAll', 'rejectAll', 'choose', 'save'] as const;

/** One language's texts, and adding and removing languages. */
export function TextFields(
  props: FieldsProps & { language: string; onLanguage: (language: string) => void },
) {
  const { projectId, form, change, fields, language, onLanguage } = props;
  const presets = useQuery({ ...configurationPresetsOptions({ path: { projectId } }), staleTime: Infinity });
  const known = presets.data?.texts ?? [];
  const index = form.texts.findIndex((text) => text.language === language);
  const text = form.texts[index];
  if (!text) return null;
  const at = `texts.${index}`;
  const put = (changes: Partial<BannerText>) =>
    change({ texts: withEntry(form.texts, index, { ...text, ...changes }) });
  const remove = () => {
    const texts = withoutEntry(form.texts, index);
    const [first] = texts;
    if (!first) return;
    const isDefault = form.defaultLanguage === language;
    change({ texts, ...(isDefault && { defaultLanguage: first.language }) });
    onLanguage(first.language);
  };
  return (
    <Stack gap="sm">
      <Group gap="xs" align="flex-end">
        <NativeSelect
          label={t('banner.language')}
          value={language}
          onChange={(event) => onLanguage(event.currentTarget.value)}
          data={form.texts.map((each) => ({ value: each.language, label: languageName(each.language) }))}
        />
        <Button variant="default" disabled={form.texts.length === 1} onClick={remove}>
          {t('banner.removeLanguage')}
        </Button>
      </Group>
      <AddLanguage form={form} change={change} onLanguage={onLanguage} known={known} />
      <NativeSelect
        label={t('banner.defaultLanguage')}
        description={t('banner.defaultLanguageHint')}
        value={form.defaultLanguage}
        error={fields['defaultLanguage']}
        onChange={(event) => change({ defaultLanguage: event.currentTarget.value })}
        data={form.texts.map((each) => ({ value: each.language, label: languageName(each.language) }))}
      />
      {TEXT_NAMES.map((name) => (
        <div key={name} style={{ display: 'contents' }}>
          <TextInput
            label={t(`banner.fields.${name}`)}
            lang={language}
            value={text[name]}
            error={fields[`${at}.${name}`]}
            onChange={(event) => put({ [name]: event.currentTarget.value })}
          />
          {name === 'title' && (
            <Textarea
              label={t('banner.fields.description')}
              lang={language}
              autosize
              minRows={2}
              value={text.description}
              error={fields[`${at}.description`]}
              onChange={(event) => put({ description: event.currentTarget.value })}
            />
          )}
        </div>
      ))}
      {form.categories.map((key) => (
        <CategoryTextFields key={key} category={key} text={text} at={at} fields={fields} put={put} />
      ))}
      <LabelFields text={text} at={at} fields={fields} put={put} known={known} />
    </Stack>
  );
}
