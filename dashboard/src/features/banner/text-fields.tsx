import { Button, Group, NativeSelect, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { configurationPresetsOptions } from '../../client/@tanstack/react-query.gen';
import { t } from '../../i18n/i18n';
import { type BannerText, type Category, type Configuration, withEntry, withoutEntry } from './configuration';
import { languageName } from '../../shared/display-names';

const LABELS = [
  'necessaryTitle',
  'necessaryDescription',
  'close',
  'policyLink',
  'settingsLink',
  'acknowledge',
  'signalHonoured',
  'services',
  'controller',
  'consentId',
  'copy',
  'download',
  'withdraw',
  'erase',
  'eraseQuestion',
  'failed',
] as const;

const LINES = ['title', 'acceptAll', 'rejectAll', 'choose', 'save'] as const;
/** What the service takes as a language (BCP 47). */
const TAG = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

export interface FieldsProps {
  projectId: string;
  form: Configuration;
  change: (changes: Partial<Configuration>) => void;
  fields: Readonly<Record<string, string>>;
}

/** The words of one language, and which languages there are. */
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
      {LINES.map((name) => (
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
        <CategoryWords key={key} category={key} text={text} at={at} fields={fields} put={put} />
      ))}
      <SmallWords text={text} at={at} fields={fields} put={put} known={known} />
    </Stack>
  );
}

interface WordsProps {
  text: BannerText;
  at: string;
  fields: Readonly<Record<string, string>>;
  put: (changes: Partial<BannerText>) => void;
}

function CategoryWords({ category, text, at, fields, put }: WordsProps & { category: Category }) {
  const known = text.categories ?? [];
  const index = known.findIndex(({ key }) => key === category);
  const words = known[index] ?? { key: category, title: '', description: '' };
  const place = `${at}.categories.${index}`;
  const write = (changes: object) => {
    const changed = { ...words, ...changes };
    put({ categories: index < 0 ? [...known, changed] : withEntry(known, index, changed) });
  };
  return (
    <Stack gap={4} component="fieldset" className="disabled-part">
      <Title order={2} size="h3" component="legend">
        {t(`categories.${category}`)}
      </Title>
      <TextInput
        label={t('banner.categoryTitle')}
        lang={text.language}
        value={words.title}
        error={fields[`${place}.title`]}
        onChange={(event) => write({ title: event.currentTarget.value })}
      />
      <Textarea
        label={t('banner.categoryDescription')}
        lang={text.language}
        autosize
        value={words.description}
        error={fields[`${place}.description`]}
        onChange={(event) => write({ description: event.currentTarget.value })}
      />
    </Stack>
  );
}

/** What is left empty is ours, in the same language. */
function SmallWords({ text, at, fields, put, known }: WordsProps & { known: BannerText[] }) {
  const ours = known.find((each) => each.language === text.language.split('-')[0])?.labels ?? {};
  const labels = text.labels ?? {};
  return (
    <details>
      <summary>{t('banner.otherLabels')}</summary>
      <Stack gap="xs" mt="xs">
        <Text c="dimmed">{t('banner.otherLabelsHint')}</Text>
        {fields[`${at}.labels`] && (
          <Text c="red" role="alert">
            {fields[`${at}.labels`]}
          </Text>
        )}
        {LABELS.map((name) => (
          <TextInput
            key={name}
            label={t(`banner.labels.${name}`)}
            lang={text.language}
            placeholder={ours[name]}
            value={labels[name] ?? ''}
            onChange={(event) => {
              const { [name]: _, ...others } = labels;
              const { value } = event.currentTarget;
              put({ labels: value === '' ? others : { ...others, [name]: value } });
            }}
          />
        ))}
      </Stack>
    </details>
  );
}

function AddLanguage({
  form,
  change,
  onLanguage,
  known,
}: Pick<FieldsProps, 'form' | 'change'> & { onLanguage: (language: string) => void; known: BannerText[] }) {
  const [tag, setTag] = useState('');
  const wanted = tag.trim();
  const there = form.texts.some(({ language }) => language === wanted);
  const refusal = there ? t('banner.languageExists') : TAG.test(wanted) ? null : t('banner.languageInvalid');
  const add = () => {
    if (wanted === '' || refusal !== null) return;
    const own = form.texts.find(({ language }) => language === form.defaultLanguage) ?? form.texts[0];
    // Our words where we have the language; else those of the default language, to be translated.
    const words = known.find(({ language }) => language === wanted.split('-')[0]) ?? own;
    if (!words) return;
    change({ texts: [...form.texts, { ...words, labels: {}, language: wanted }] });
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
