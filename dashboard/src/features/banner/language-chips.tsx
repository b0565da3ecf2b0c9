import { Button, Group, Stack, Text } from '@mantine/core';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import { t } from '../../i18n/i18n';
import { AddLanguage } from './add-language';
import { withoutEntry } from './configuration';
import type { LanguageProps } from './field-props';
import { ownLanguageName } from './language-name';
import { withDefaultLanguage } from './translations';

/** The languages of the banner, of which one is being edited. */
export function LanguageChips(props: LanguageProps & { onLanguage: (language: string) => void }) {
  const { projectId, form, change, fields, language, onLanguage } = props;
  const { texts, defaultLanguage } = form;
  const [isAdding, setIsAdding] = useState(false);
  const isDefault = language === defaultLanguage;
  const name = ownLanguageName(language);
  const remove = () => {
    const index = texts.findIndex((text) => text.language === language);
    change({ texts: withoutEntry(texts, index) });
    onLanguage(defaultLanguage);
  };
  return (
    <Stack gap="xs">
      <div className="language-chips" role="group" aria-label={t('banner.languages')}>
        {texts.map((text) => (
          <button
            key={text.language}
            type="button"
            className="language-chip"
            lang={text.language}
            aria-pressed={text.language === language}
            onClick={() => onLanguage(text.language)}
          >
            {ownLanguageName(text.language)}
          </button>
        ))}
        <button
          type="button"
          className="language-chip"
          data-adds
          aria-expanded={isAdding}
          onClick={() => setIsAdding(!isAdding)}
        >
          <Plus className="icon" aria-hidden />
          {t('banner.addLanguage')}
        </button>
      </div>
      {isAdding && (
        <AddLanguage
          {...{ projectId, form, change }}
          onAdded={(added) => {
            onLanguage(added);
            setIsAdding(false);
          }}
        />
      )}
      {fields['defaultLanguage'] && (
        <Text c="red" role="alert">
          {fields['defaultLanguage']}
        </Text>
      )}
      {texts.length > 1 &&
        (isDefault ? (
          <Text c="dimmed" fz={12}>
            {t('banner.defaultLanguageHint', { language: name })}
          </Text>
        ) : (
          <Group gap={4} className="language-actions">
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              onClick={() => change(withDefaultLanguage(form, language))}
            >
              {t('banner.makeDefault', { language: name })}
            </Button>
            <Button variant="subtle" color="gray" size="compact-sm" onClick={remove}>
              {t('banner.removeLanguage', { language: name })}
            </Button>
          </Group>
        ))}
    </Stack>
  );
}
