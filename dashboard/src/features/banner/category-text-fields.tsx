import { Stack, Textarea, TextInput, Title } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { type Category, withEntry } from './configuration';
import type { LanguageTextProps } from './field-props';

export function CategoryTextFields({
  category,
  text,
  at,
  fields,
  put,
}: LanguageTextProps & { category: Category }) {
  const known = text.categories ?? [];
  const index = known.findIndex(({ key }) => key === category);
  const entry = known[index] ?? { key: category, title: '', description: '' };
  const path = `${at}.categories.${index}`;
  const write = (changes: object) => {
    const changed = { ...entry, ...changes };
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
        value={entry.title}
        error={fields[`${path}.title`]}
        onChange={(event) => write({ title: event.currentTarget.value })}
      />
      <Textarea
        label={t('banner.categoryDescription')}
        lang={text.language}
        autosize
        value={entry.description}
        error={fields[`${path}.description`]}
        onChange={(event) => write({ description: event.currentTarget.value })}
      />
    </Stack>
  );
}
