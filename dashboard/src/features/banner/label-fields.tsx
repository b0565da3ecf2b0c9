import { Stack, Text, TextInput } from '@mantine/core';
import { t } from '../../i18n/i18n';
import type { BannerText } from './configuration';
import type { LanguageTextProps } from './field-props';

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

/** An empty label uses our default in the same language. */
export function LabelFields({ text, at, fields, put, known }: LanguageTextProps & { known: BannerText[] }) {
  const defaults = known.find((each) => each.language === text.language.split('-')[0])?.labels ?? {};
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
            placeholder={defaults[name]}
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
