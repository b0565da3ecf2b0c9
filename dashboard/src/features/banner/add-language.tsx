import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { t } from '../../i18n/i18n';
import { DEFAULT_LANGUAGES, textLanguage } from '../../../../src/modules/publishing/domain/text-language.js';
import { languageName } from '../../shared/display-names';
import { ProblemAlert } from '../../shared/problem-alert';
import { useApiMutation } from '../../shared/use-api-mutation';
import type { LanguageProps } from './field-props';
import { ownLanguageName } from './language-name';
import { loadText } from './use-presets';

/** Language tags that the API accepts (BCP 47). */
const LANGUAGE_TAG = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** Languages of the list; any other can be given by its tag. */
const LANGUAGES = [...DEFAULT_LANGUAGES, ...'ca cy eu fa gl hy ka lb mk ru sq'.split(' ')].toSorted();

/**
 * The tag of a language that was given by its name, in the language of the page or its own, with or without its tag:
 * `German`, `German (de)`, `Deutsch`.
 */
function tagOf(given: string): string {
  const wanted = given.trim().toLowerCase();
  const named = LANGUAGES.find((tag) =>
    [languageName(tag), `${ownLanguageName(tag)} (${tag})`].some((name) => {
      const lower = name.toLowerCase();
      return lower === wanted || lower === `${wanted} (${tag})`;
    }),
  );
  return named ?? given.trim();
}

export function AddLanguage({
  projectId,
  form,
  change,
  onAdded,
}: Pick<LanguageProps, 'projectId' | 'form' | 'change'> & { onAdded: (language: string) => void }) {
  const [given, setGiven] = useState('');
  const wanted = tagOf(given);
  const isKnown = textLanguage(wanted) !== undefined;
  const exists = form.texts.some(({ language }) => language === wanted);
  const refusal = exists
    ? t('banner.languageExists')
    : LANGUAGE_TAG.test(wanted)
      ? null
      : t('banner.languageInvalid');
  const adding = useApiMutation({
    request: (language: string) => loadText(projectId, language),
    onSuccess: (preset, language) => {
      const own = form.texts.find((text) => text.language === form.defaultLanguage) ?? form.texts[0];
      // Starts with our texts in this language, or else with the default language's to translate.
      const base = preset ?? own;
      if (!base) return;
      change({ texts: [...form.texts, { ...base, labels: {}, language }] });
      onAdded(language);
    },
  });
  const add = () => {
    if (wanted !== '' && refusal === null) adding.mutate(wanted);
  };
  return (
    <>
      <ProblemAlert error={adding.error} />
      <Group gap="xs" align="flex-end">
        <TextInput
          label={t('banner.newLanguage')}
          placeholder={t('banner.newLanguagePlaceholder')}
          list="languages"
          // The person has just asked for it.
          autoFocus
          flex={1}
          value={given}
          error={wanted !== '' && refusal}
          description={wanted !== '' && refusal === null && !isKnown && t('banner.languageToTranslate')}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          onChange={(event) => setGiven(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <datalist id="languages">
          {LANGUAGES.map((tag) => (
            <option key={tag} value={languageName(tag)} />
          ))}
        </datalist>
        <Button
          variant="default"
          onClick={add}
          loading={adding.isPending}
          disabled={wanted === '' || refusal !== null}
        >
          {t('banner.add')}
        </Button>
      </Group>
    </>
  );
}
