import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n';
import type { BannerText } from './configuration';
import { languageName } from '../../shared/display-names';
import type { FieldsProps } from './field-props';

/** Language tags that the API accepts (BCP 47). */
const LANGUAGE_TAG = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

export function AddLanguage({
  form,
  change,
  onLanguage,
  known,
}: Pick<FieldsProps, 'form' | 'change'> & { onLanguage: (language: string) => void; known: BannerText[] }) {
  const [tag, setTag] = useState('');
  const wanted = tag.trim();
  const exists = form.texts.some(({ language }) => language === wanted);
  const refusal = exists
    ? t('banner.languageExists')
    : LANGUAGE_TAG.test(wanted)
      ? null
      : t('banner.languageInvalid');
  const add = () => {
    if (wanted === '' || refusal !== null) return;
    const own = form.texts.find(({ language }) => language === form.defaultLanguage) ?? form.texts[0];
    // Starts with our texts in this language, or else with the default language's to translate.
    const base = known.find(({ language }) => language === wanted.split('-')[0]) ?? own;
    if (!base) return;
    change({ texts: [...form.texts, { ...base, labels: {}, language: wanted }] });
    onLanguage(wanted);
    setTag('');
  };
  return (
    <Group gap="xs" align="flex-end">
      <TextInput
        label={t('banner.newLanguage')}
        placeholder="de"
        list="languages-known"
        value={tag}
        error={wanted !== '' && refusal}
        onChange={(event) => setTag(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <datalist id="languages-known">
        {known.map(({ language }) => (
          <option key={language} value={language}>
            {languageName(language)}
          </option>
        ))}
      </datalist>
      <Button variant="default" onClick={add} disabled={wanted === '' || refusal !== null}>
        {t('banner.addLanguage')}
      </Button>
    </Group>
  );
}
