import { Alert, Checkbox, Group, NativeSelect, SegmentedControl, Skeleton, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { BannerFrame, type Choice, type Device, bannerStage } from './banner-frame';
import { languageName, regionName } from '../../shared/display-names';
import type { usePreview } from './use-preview';

/** Regions with different laws, and `XX` for an unknown region. */
const REGIONS = ['XX', 'DE', 'FR', 'GB', 'CH', 'US', 'US-CA', 'US-TX', 'BR', 'JP'];

/** What a visitor may have chosen. */
const SAMPLE: Choice = {
  id: '00000000-0000-7000-8000-000000000000',
  analytics: true,
  marketing: false,
  preferences: false,
};

/** The banner as a visitor would see it, with whom to be. */
export function PreviewPane(props: {
  shown: ReturnType<typeof usePreview>;
  /** The languages that there are, and the one that is being written. */
  languages: string[];
  language: string;
  onLanguage: (language: string) => void;
  /** Regions that the rules name. */
  regions: string[];
}) {
  const [region, setRegion] = useState('XX');
  const [device, setDevice] = useState<Device>('desktop');
  const [dark, setDark] = useState(false);
  const [signal, setSignal] = useState(false);
  const [layer, setLayer] = useState('first');
  const { preview, error, retry } = props.shown;
  const regions = [...new Set([...REGIONS, ...props.regions.filter((name) => name !== 'EU')])];
  return (
    <Stack gap="xs">
      <Group gap="xs" align="flex-end">
        <NativeSelect
          size="xs"
          label={t('banner.visitorLanguage')}
          value={props.language}
          onChange={(event) => props.onLanguage(event.currentTarget.value)}
          data={props.languages.map((value) => ({ value, label: languageName(value) }))}
        />
        <NativeSelect
          size="xs"
          label={t('banner.visitorRegion')}
          value={region}
          onChange={(event) => setRegion(event.currentTarget.value)}
          data={regions.map((value) => ({ value, label: regionName(value) }))}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('banner.device')}
          value={device}
          onChange={(value) => setDevice(value as Device)}
          data={(['desktop', 'phone'] as const).map((value) => ({
            value,
            label: t(`banner.devices.${value}`),
          }))}
        />
        <SegmentedControl
          size="xs"
          aria-label={t('banner.layer')}
          value={layer}
          onChange={setLayer}
          data={(['first', 'second'] as const).map((value) => ({
            value,
            label: t(`banner.layers.${value}`),
          }))}
        />
      </Group>
      <Group gap="md">
        <Checkbox
          size="xs"
          label={t('banner.dark')}
          checked={dark}
          onChange={(event) => setDark(event.currentTarget.checked)}
        />
        <Checkbox
          size="xs"
          label="Global Privacy Control"
          checked={signal}
          onChange={(event) => setSignal(event.currentTarget.checked)}
        />
      </Group>
      {preview?.regionRulesLeftOut && (
        <Alert variant="outline" color="gray" role="note">
          <Text>{t('banner.rulesNotInPlan')}</Text>
        </Alert>
      )}
      <ProblemAlert error={error} retry={retry} />
      {preview ? (
        <BannerFrame
          scene={{
            configuration: preview.document,
            ...{ region, dark, signal },
            language: props.language,
            choice: layer === 'second' ? SAMPLE : null,
          }}
          device={device}
        />
      ) : (
        !error && <Skeleton h="auto" style={bannerStage(device)} />
      )}
    </Stack>
  );
}
