import { Alert, Checkbox, NativeSelect, Skeleton, Text } from '@mantine/core';
import Globe from 'lucide-react/icons/globe';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Smartphone from 'lucide-react/icons/smartphone';
import Sun from 'lucide-react/icons/sun';
import Tablet from 'lucide-react/icons/tablet';
import { type ReactNode, useState } from 'react';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { BannerFrame, type Choice, type Device, bannerStage } from './banner-frame';
import { regionName } from '../../shared/display-names';
import { Segments } from '../../shared/segments';
import { useProject } from '../../shared/use-project';
import {
  allModes,
  CATEGORIES,
  type Category,
  type Configuration,
  type Mode,
  MODES,
  type Modes,
} from './configuration';
import { mixedModesWords } from './mode-words';
import { matrixRows, OTHER_PART, possibleRows, type Preset } from './region-matrix';
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

/** Who sees the banner. */
export interface Visitor {
  region: string;
  /** Whether the browser sends Global Privacy Control. */
  signal: boolean;
}

export const ANY_VISITOR: Visitor = { region: 'XX', signal: false };

/** The banner as a visitor would see it, with whom to be. */
export function PreviewPane(props: {
  shown: ReturnType<typeof usePreview>;
  form: Configuration;
  /** The language that is being edited. */
  language: string;
  /** The mode whose texts are being edited; null: that of the region. */
  mode: TextMode | null;
  visitor: Visitor;
  /** Called when the person chooses a visitor, whose mode is then shown. */
  onVisitor: (changes: Partial<Visitor>) => void;
}) {
  const { form, language, mode, visitor, onVisitor } = props;
  const presets = usePresets(useProject().id, form.texts);
  /** Null until the person chooses one. */
  const [chosen, setDevice] = useState<Device | null>(null);
  const device = chosen ?? (innerWidth < PHONE_MAX_PX ? 'phone' : 'desktop');
  const [dark, setDark] = useState(false);
  const [layer, setLayer] = useState<Layer>('first');
  const { preview, error, retry } = props.shown;
  const modes = modesOfVisitor(
    visitor,
    form,
    presets?.regionPresets ?? [],
    preview?.regionRulesLeftOut ?? false,
  );
  return (
    <section className="card banner-preview" aria-label={t('banner.preview')}>
      <div className="preview-tools">
        <Segments<Device>
          label={t('banner.previewTools.device')}
          options={['desktop', 'tablet', 'phone']}
          labelOf={segmentLabel}
          iconOf={iconOf}
          value={device}
          onChange={setDevice}
        />
        <Segments
          label={t('banner.previewTools.scheme')}
          options={['light', 'dark']}
          labelOf={segmentLabel}
          iconOf={iconOf}
          value={dark ? 'dark' : 'light'}
          onChange={(value) => setDark(value === 'dark')}
        />
        <NativeSelect
          size="xs"
          aria-label={t('banner.previewTools.layer')}
          value={layer}
          onChange={(event) => setLayer(event.currentTarget.value as Layer)}
          data={LAYERS.map((value) => ({ value, label: segmentLabel(value) }))}
        />
        <NativeSelect
          size="xs"
          leftSection={<Globe className="icon" aria-hidden />}
          aria-label={t('banner.visitorRegion')}
          value={visitor.region}
          onChange={(event) => onVisitor({ region: event.currentTarget.value })}
          data={regionOptions(form, visitor.region)}
        />
        <Checkbox
          size="xs"
          label={t('banner.textModes.signal')}
          aria-label={t('banner.signalSwitch')}
          checked={visitor.signal}
          onChange={(event) => onVisitor({ signal: event.currentTarget.checked })}
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
            configuration: previewDocument(preview.document, form, presets?.texts ?? []),
            region: visitor.region,
            signal: mode === null ? visitor.signal : mode === 'signal',
            ...(mode !== null && { modes: allModes(mode === 'signal' ? 'opt_out' : mode) }),
            dark,
            language,
            isSecondLayer: layer !== 'first',
            choice: layer === 'later' ? SAMPLE : null,
          }}
          device={device}
          {...(mode === null && { shownWords: mixedModesWords(modes, form.categories) })}
        />
      ) : (
        !error && <Skeleton h="auto" mx="auto" style={bannerStage(device)} />
      )}
    </section>
  );
}

/** The modes of a visitor: the strictest of all rows that may decide. A plan may leave out all but the last one. */
function modesOfVisitor(
  { region }: Visitor,
  form: Configuration,
  presets: Preset[],
  isWithoutRules: boolean,
): Modes {
  const rows = matrixRows(form, presets, new Date());
  const possible = possibleRows(isWithoutRules ? rows.slice(-1) : rows, region);
  const strictestOf = (category: Category): Mode =>
    MODES.find((mode) => possible.some(({ modes }) => modes[category] === mode)) ?? 'opt_in';
  return Object.fromEntries(CATEGORIES.map((category) => [category, strictestOf(category)])) as Modes;
}

const LAYERS = ['first', 'second', 'later'] as const;
type Layer = (typeof LAYERS)[number];
type Segment = Device | Layer | 'light' | 'dark';

const ICONS = { desktop: Monitor, tablet: Tablet, phone: Smartphone, light: Sun, dark: Moon };

function iconOf(value: keyof typeof ICONS): ReactNode {
  const Icon = ICONS[value];
  return <Icon className="icon" aria-hidden />;
}

const segmentLabel = (value: Segment): string => t(`banner.previewOptions.${value}`);

function regionOptions({ regionRules }: Configuration, chosen: string): { value: string; label: string }[] {
  const named = regionRules.flatMap(({ regions }) => regions).filter((name) => name !== 'EU');
  return [...new Set([...REGIONS, ...named, chosen])].map((value) => ({
    value,
    label: visitorName(value, named),
  }));
}

function visitorName(region: string, named: string[]): string {
  if (region === 'XX') return t('banner.anyRegion');
  const [country = '', part] = region.split('-');
  if (part === OTHER_PART) return t('rules.otherPart', { country: regionName(country) });
  const isMixed = named.some((name) => name.startsWith(`${region}-`));
  return isMixed ? t('rules.unknownPart', { country: regionName(region) }) : regionName(region);
}
