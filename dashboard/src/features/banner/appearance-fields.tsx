import { NativeSelect, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core';
import { t, translateCode } from '../../i18n/i18n';
import type { Configuration } from './configuration';
import type { FieldsProps } from './field-props';
import { LogoField } from './logo-field';

type Settings = Configuration['banner'];

type Position = NonNullable<Settings['position']>;

const CHOICES = {
  layout: ['box', 'bar'],
  theme: ['auto', 'light', 'dark'],
  font: ['system', 'site'],
  secondaryButton: ['text', 'outline'],
} as const;
const POSITIONS: Position[] = ['left', 'center', 'right', 'middle', 'top-left', 'top-center', 'top-right'];

const boxPositions = () => POSITIONS.map((value) => ({ value, label: t(`banner.positions.${value}`) }));

/** A bar takes the whole edge, so its side does not matter. */
const barPositions = () => [
  { value: 'center', label: t('banner.barPositions.bottom') },
  { value: 'top-center', label: t('banner.barPositions.top') },
];
const barPosition = (position: Position | undefined) =>
  position?.startsWith('top-') ? 'top-center' : 'center';

/** The values that the browser's color picker supports. */
const COLOR = /^#[\da-f]{6}$/i;

/** Layout and colors. What makes the banner accessible cannot be configured. */
export function AppearanceFields({ form, change, fields }: FieldsProps) {
  const { banner } = form;
  const put = (changes: Partial<Settings>) => change({ banner: { ...banner, ...changes } });
  const isBar = banner.layout === 'bar';
  const choice = (name: keyof typeof CHOICES) => (
    <NativeSelect
      label={t(`banner.appearance.${name}`)}
      value={banner[name]}
      onChange={(event) => put({ [name]: event.currentTarget.value } as Partial<Settings>)}
      data={CHOICES[name].map((value) => ({
        value,
        label: translateCode(`banner.appearanceOptions.${name}`, value) ?? value,
      }))}
    />
  );
  return (
    <Stack gap="sm">
      <Switch
        label={t('banner.enabled')}
        description={t('banner.enabledHint')}
        checked={banner.enabled ?? false}
        onChange={(event) => put({ enabled: event.currentTarget.checked })}
      />
      <SimpleGrid cols={2} spacing="sm">
        {choice('layout')}
        <NativeSelect
          label={t('banner.appearance.position')}
          value={isBar ? barPosition(banner.position) : banner.position}
          error={fields['banner.position']}
          onChange={(event) => put({ position: event.currentTarget.value as Position })}
          data={isBar ? barPositions() : boxPositions()}
        />
        {choice('theme')}
        {choice('font')}
      </SimpleGrid>
      <LogoField
        value={banner.logo ?? null}
        error={fields['banner.logo']}
        onChange={(logo) => put({ logo })}
      />
      {(['accent', 'accentDark'] as const).map((name) => (
        <TextInput
          key={name}
          label={t(`banner.appearance.${name}`)}
          description={t('banner.accentHint')}
          leftSection={
            <input
              type="color"
              className="color-picker"
              aria-label={t(`banner.pickColor.${name}`)}
              value={COLOR.test(banner[name] ?? '') ? banner[name] : '#000000'}
              onChange={(event) => put({ [name]: event.currentTarget.value })}
            />
          }
          value={banner[name] ?? ''}
          error={fields[`banner.${name}`]}
          onChange={(event) => put({ [name]: event.currentTarget.value.trim() })}
        />
      ))}
      <SimpleGrid cols={2} spacing="sm">
        <TextInput
          label={t('banner.appearance.radius')}
          type="number"
          min={0}
          max={24}
          rightSection="px"
          value={Number.isNaN(banner.radius) ? '' : banner.radius}
          error={fields['banner.radius']}
          onChange={(event) => put({ radius: event.currentTarget.valueAsNumber })}
        />
        {choice('secondaryButton')}
      </SimpleGrid>
      <Switch
        label={t('banner.link')}
        checked={banner.link ?? true}
        description={t('banner.linkHint')}
        onChange={(event) => put({ link: event.currentTarget.checked })}
      />
      <NativeSelect
        label={t('banner.appearance.linkPosition')}
        value={banner.linkPosition}
        disabled={banner.link === false}
        onChange={(event) => put({ linkPosition: event.currentTarget.value as 'left' | 'right' })}
        data={(['left', 'right'] as const).map((value) => ({
          value,
          label: t(`banner.appearanceOptions.linkPosition.${value}`),
        }))}
      />
      <Switch
        label={t('banner.shareSubdomains')}
        description={t('banner.shareSubdomainsHint')}
        checked={banner.shareSubdomains ?? false}
        onChange={(event) => put({ shareSubdomains: event.currentTarget.checked })}
      />
      <Text c="dimmed">{t('banner.equalButtons')}</Text>
    </Stack>
  );
}
