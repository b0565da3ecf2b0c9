import { Alert, Checkbox, NativeSelect, Skeleton, Text } from '@mantine/core';
import Globe from 'lucide-react/icons/globe';
import { useState } from 'react';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { BannerFrame, type Choice, type Device, bannerStage } from './banner-frame';
import { regionName } from '../../shared/display-names';
import { Segments } from '../../shared/segments';
import { useProject } from '../../shared/use-project';
import { allModes, type Configuration } from './configuration';
import { previewDocument, type TextMode } from './text-mode';
import { usePresets } from './use-presets';
import type { usePreview } from './use-preview';

/** Regions with different laws, and `XX` for an unknown region. */
const REGIONS = ['XX', 'DE', 'FR', 'GB', 'CH', 'US', 'US-CA', 'US-TX', 'BR', 'JP'];

/** In a narrower window the preview starts with a phone, since a desktop would be too small to read. */
const PHONE_MAX_PX = 600;

/** A choice that a visitor comes back to, with the Consent ID, receipt and withdrawal. */
const SAMPLE: Choice = {
  id: '00000000-0000-7000-8000-000000000000',
  analytics: true,
  marketing: false,
  preferences: false,
};

/** The banner as a visitor would see it, with whom to be. */
export function PreviewPane(props: {
  shown: ReturnType<typeof usePreview>;
  form: Configuration;
  /** The language that is being edited. */
  language: string;
  /** The mode whose texts are being edited; null: that of the region. */
  mode: TextMode | null;
  /** Called when the person chooses a visitor, whose mode is then shown. */
  onOtherMode: () => void;
}) {
  const { form, language, mode, onOtherMode } = props;
  const presets = usePresets(useProject().id)?.texts ?? [];
  const [visitor, setVisitor] = useState({ region: 'XX', signal: false });
  const [device, setDevice] = useState<Device>(() => (innerWidth < PHONE_MAX_PX ? 'phone' : 'desktop'));
  const [dark, setDark] = useState(false);
  const [layer, setLayer] = useState<Layer>('first');
  const { preview, error, retry } = props.shown;
  const become = (changes: Partial<typeof visitor>) => {
    setVisitor({ ...visitor, ...changes });
    onOtherMode();
  };
  return (
    <section className="card banner-preview" aria-label={t('banner.preview')}>
      <div className="preview-tools">
        <Segments<Device>
          label={t('banner.previewTools.device')}
          options={['desktop', 'tablet', 'phone']}
          labelOf={segmentLabel}
          value={device}
          onChange={setDevice}
        />
        <Segments
          label={t('banner.previewTools.scheme')}
          options={['light', 'dark']}
          labelOf={segmentLabel}
          value={dark ? 'dark' : 'light'}
          onChange={(value) => setDark(value === 'dark')}
        />
        <Segments<Layer>
          label={t('banner.previewTools.layer')}
          options={['first', 'second', 'later']}
          labelOf={segmentLabel}
          value={layer}
          onChange={setLayer}
        />
        <NativeSelect
          size="xs"
          leftSection={<Globe className="icon" aria-hidden />}
          aria-label={t('banner.visitorRegion')}
          value={visitor.region}
          onChange={(event) => become({ region: event.currentTarget.value })}
          data={regionOptions(form)}
        />
        <Checkbox
          size="xs"
          label={t('banner.textModes.signal')}
          aria-label={t('banner.signalSwitch')}
          checked={visitor.signal}
          onChange={(event) => become({ signal: event.currentTarget.checked })}
        />
      </div>
      <div className="preview-notes">
        {preview?.regionRulesLeftOut && (
          <Alert variant="outline" color="gray" role="note">
            <Text>{t('banner.rulesNotInPlan')}</Text>
          </Alert>
        )}
        <ProblemAlert error={error} retry={retry} />
      </div>
      {preview ? (
        <BannerFrame
          scene={{
            configuration: previewDocument(preview.document, form, presets),
            region: visitor.region,
            signal: mode === null ? visitor.signal : mode === 'signal',
            ...(mode !== null && { modes: allModes(mode === 'signal' ? 'opt_out' : mode) }),
            ...{ dark, language },
            isSecondLayer: layer !== 'first',
            choice: layer === 'later' ? SAMPLE : null,
          }}
          device={device}
        />
      ) : (
        !error && <Skeleton h="auto" mx="auto" style={bannerStage(device)} />
      )}
    </section>
  );
}

type Layer = 'first' | 'second' | 'later';
type Segment = Device | Layer | 'light' | 'dark';

const segmentLabel = (value: Segment): string => t(`banner.previewOptions.${value}`);

function regionOptions({ regionRules }: Configuration): { value: string; label: string }[] {
  const named = regionRules.flatMap(({ regions }) => regions).filter((name) => name !== 'EU');
  return [...new Set([...REGIONS, ...named])].map((value) => ({
    value,
    label: value === 'XX' ? t('banner.anyRegion') : regionName(value),
  }));
}
