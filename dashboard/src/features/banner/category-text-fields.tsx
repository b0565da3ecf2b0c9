import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { type Category, withEntry } from './configuration';
import type { LanguageTextProps } from './field-props';

/** Whether the banner offers a category, and its title and description in one language. */
export function CategoryTextFields({
  category,
  isOffered,
  onOffered,
  text,
  at,
  fields,
  put,
}: LanguageTextProps & {
  category: Category;
  isOffered: boolean;
  onOffered: (isOffered: boolean) => void;
}) {
  const known = text.categories ?? [];
  const index = known.findIndex(({ key }) => key === category);
  const entry = known[index] ?? { key: category, title: '', description: '' };
  const path = `${at}.categories.${index}`;
  const name = t(`categories.${category}`);
  const write = (changes: object) => {
    const changed = { ...entry, ...changes };
    put({ categories: index < 0 ? [...known, changed] : withEntry(known, index, changed) });
  };
  return (
    <Stack gap="xs" className="category-card" component="section" aria-label={name}>
      <Checkbox
        label={name}
        checked={isOffered}
        onChange={(event) => onOffered(event.currentTarget.checked)}
        size="xs"
      />
      {isOffered && (
        <>
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
            rows={1}
            value={entry.description}
            error={fields[`${path}.description`]}
            onChange={(event) => write({ description: event.currentTarget.value })}
          />
        </>
      )}
    </Stack>
  );
}
