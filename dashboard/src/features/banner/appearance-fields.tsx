import { ColorSwatch, NativeSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { t, translateCode } from '../../i18n/i18n';
import type { Configuration } from './configuration';
import type { FieldsProps } from './field-props';

type Settings = Configuration['banner'];

const CHOICES = {
  layout: ['box', 'bar'],
  position: ['left', 'center', 'right'],
  theme: ['auto', 'light', 'dark'],
} as const;

/** Layout and colors. What makes the banner accessible cannot be configured. */
export function AppearanceFields({ form, change, fields }: FieldsProps) {
  const { banner } = form;
  const put = (changes: Partial<Settings>) => change({ banner: { ...banner, ...changes } });
  return (
    <Stack gap="sm">
      <Switch
        label={t('banner.enabled')}
        description={t('banner.enabledHint')}
        checked={banner.enabled ?? false}
        onChange={(event) => put({ enabled: event.currentTarget.checked })}
      />
      {(['layout', 'position', 'theme'] as const).map((name) => (
        <NativeSelect
          key={name}
          label={t(`banner.appearance.${name}`)}
          value={banner[name]}
          disabled={name === 'position' && banner.layout === 'bar'}
          onChange={(event) => put({ [name]: event.currentTarget.value } as Partial<Settings>)}
          data={CHOICES[name].map((value) => ({
            value,
            label: translateCode(`banner.appearanceOptions.${name}`, value) ?? value,
          }))}
        />
      ))}
      {(['accent', 'accentDark'] as const).map((name) => (
        <TextInput
          key={name}
          label={t(`banner.appearance.${name}`)}
          description={t('banner.accentHint')}
          className="mono"
          leftSection={<ColorSwatch size={16} color={banner[name] ?? ''} withShadow={false} />}
          value={banner[name] ?? ''}
          error={fields[`banner.${name}`]}
          onChange={(event) => put({ [name]: event.currentTarget.value.trim() })}
        />
      ))}
      <Switch
        label={t('banner.link')}
        checked={banner.link ?? true}
        onChange={(event) => put({ link: event.currentTarget.checked })}
      />
      <Text c="dimmed">{t('banner.equalButtons')}</Text>
    </Stack>
  );
}
