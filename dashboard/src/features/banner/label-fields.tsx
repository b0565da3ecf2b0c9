import { Stack, Text } from '@mantine/core';
import { t } from '../../i18n/i18n';
import { BannerTextField } from './banner-text-field';
import type { LanguageTextProps } from './field-props';
import { COMMON_LABELS } from './text-checks';

const LONG = /Description$|Text$|Question$/;

/** Labels that no mode changes, by where they are shown. */
export function LabelFields({
  defaults,
  ...props
}: LanguageTextProps & { defaults: Readonly<Record<string, string>> }) {
  const refusal = props.fields[`${props.at}.labels`];
  return (
    <Stack gap="xs">
      {refusal && (
        <Text c="red" role="alert">
          {refusal}
        </Text>
      )}
      {(['page', 'secondLayer'] as const).map((group) => (
        <details key={group} className="label-group">
          <summary>{t(`banner.labelGroups.${group}`)}</summary>
          <Stack gap="sm" mt="xs">
            <Text c="dimmed">{t(`banner.labelGroupHints.${group}`)}</Text>
            {COMMON_LABELS[group].map((name) => (
              <BannerTextField
                key={name}
                name={name}
                label={t(`banner.labels.${name}`)}
                isLong={LONG.test(name)}
                placeholder={defaults[name]}
                {...props}
              />
            ))}
          </Stack>
        </details>
      ))}
    </Stack>
  );
}
