import { SimpleGrid, Stack, Text } from '@mantine/core';
import { Segments } from '../../shared/segments';
import { t } from '../../i18n/i18n';
import { BannerTextField } from './banner-text-field';
import type { Configuration } from './configuration';
import type { LanguageTextProps } from './field-props';
import { isModeUsed, MODE_NAMES, TEXT_MODES, type TextMode } from './text-mode';

interface ModeTextFieldsProps extends LanguageTextProps {
  form: Configuration;
  /** Our labels in this language. */
  defaults: Readonly<Record<string, string>>;
  mode: TextMode;
  onMode: (mode: TextMode) => void;
}

/** Title, text and buttons of the first layer, for the mode that is chosen above them. */
export function ModeTextFields({ form, defaults, mode, onMode, ...props }: ModeTextFieldsProps) {
  const names = MODE_NAMES[mode];
  const field = (kind: keyof typeof names, rest: { isLong?: boolean; hint?: string } = {}) => {
    const name = names[kind];
    if (name === undefined) return null;
    return (
      <BannerTextField
        key={name}
        name={name}
        label={t(`banner.textFields.${kind}`)}
        placeholder={defaults[name]}
        {...rest}
        {...props}
      />
    );
  };
  return (
    <Stack gap="sm">
      <Segments<TextMode>
        label={t('banner.textMode')}
        options={TEXT_MODES}
        labelOf={(value) => t(`banner.textModes.${value}`)}
        value={mode}
        onChange={onMode}
      />
      {!isModeUsed(mode, form) && (
        <Text c="dimmed" role="note">
          {t('banner.modeUnused')}
        </Text>
      )}
      {field('title')}
      {field('description', { isLong: true, hint: t(`banner.textHints.${mode}`) })}
      {names.accept !== undefined && (
        <SimpleGrid cols={2} spacing="sm">
          {field('accept')}
          {field('reject')}
        </SimpleGrid>
      )}
      {field('acknowledge')}
    </Stack>
  );
}
