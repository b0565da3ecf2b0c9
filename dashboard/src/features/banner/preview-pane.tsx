import { Alert, Checkbox, NativeSelect, Skeleton, Text } from '@mantine/core';
import Globe from 'lucide-react/icons/globe';
import { useState } from 'react';
import { ProblemAlert } from '../../shared/problem-alert';
import { t } from '../../i18n/i18n';
import { BannerFrame, type Choice, type Device, bannerStage } from './banner-frame';
import { regionName } from '../../shared/display-names';
import { Segments } from '../../shared/segments';
import { useProject } from '../../shared/use-project';
import { allModes, type Configuration, type Modes } from './configuration';
import { mixedModesWords } from './matrix-words';
import { decidingRule, type MatrixRow, matrixRows, type Preset } from './region-matrix';
import type { PreviewedCell } from './region-rules';
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
  /** The cell of the region rules that the visitor stands for. */
  cell: PreviewedCell | null;
}

export const ANY_VISITOR: Visitor = { region: 'XX', signal: false, cell: null };

/** The pane's element, for a jump to it. */
export const PREVIEW_ID = 'banner-preview';

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
  /** Whether the fields leave so little room that only a phone is readable. */
  isNarrow: boolean;
}) {
  const { form, language, mode, visitor, onVisitor, isNarrow } = props;
  const presets = usePresets(useProject().id);
  /** Null until the person chooses one. */
  const [chosen, setDevice] = useState<Device | null>(null);
  const device = chosen ?? (isNarrow || innerWidth < PHONE_MAX_PX ? 'phone' : 'desktop');
  const [dark, setDark] = useState(false);
  const [layer, setLayer] = useState<Layer>('first');
  const { preview, error, retry } = props.shown;
  const row = rowOfVisitor(visitor, form, presets?.regionPresets ?? [], preview?.regionRulesLeftOut ?? false);
  return (
    <section id={PREVIEW_ID} className="card banner-preview" aria-label={t('banner.preview')}>
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
          onChange={(event) => onVisitor({ region: event.currentTarget.value, cell: null })}
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
        {visitor.cell && mode === null && <CellNote cell={visitor.cell} modes={row.modes} />}
        <ProblemAlert error={error} retry={retry} />
      </div>
      {preview ? (
        <BannerFrame
          scene={{
            configuration: previewDocument(preview.document, form, presets?.texts ?? []),
            region: visitor.region,
            signal: mode === null ? visitor.signal : mode === 'signal',
            ...(mode !== null && { modes: allModes(mode === 'signal' ? 'opt_out' : mode) }),
            ...{ dark, language },
            isSecondLayer: layer !== 'first',
            choice: layer === 'later' ? SAMPLE : null,
          }}
          device={device}
          {...(mode === null && { shownWords: mixedModesWords(row.modes, form.categories) })}
        />
      ) : (
        !error && <Skeleton h="auto" mx="auto" style={bannerStage(device)} />
      )}
    </section>
  );
}

/** What a cell means, as a sentence. */
function CellNote({ cell: { category, name }, modes }: { cell: PreviewedCell; modes: Modes }) {
  return (
    <Text role="status">
      {t('rules.previewed', {
        ...{ category: t(`categories.${category}`), regions: name },
        effect: t(`rules.effects.${modes[category]}`),
      })}
    </Text>
  );
}

/** The row of the region rules that decides for a visitor. A plan may leave out all but the last one. */
function rowOfVisitor(
  { region }: Visitor,
  form: Configuration,
  presets: Preset[],
  isWithoutRules: boolean,
): Pick<MatrixRow, 'modes'> {
  const index = isWithoutRules ? null : decidingRule(form.regionRules, region);
  const rows = matrixRows(form, presets, new Date());
  return rows.find((row) => row.index === index) ?? { modes: form.defaultModes };
}

type Layer = 'first' | 'second' | 'later';
type Segment = Device | Layer | 'light' | 'dark';

const segmentLabel = (value: Segment): string => t(`banner.previewOptions.${value}`);

function regionOptions({ regionRules }: Configuration, chosen: string): { value: string; label: string }[] {
  const named = regionRules.flatMap(({ regions }) => regions).filter((name) => name !== 'EU');
  return [...new Set([...REGIONS, ...named, chosen])].map((value) => ({
    value,
    label: value === 'XX' ? t('banner.anyRegion') : regionName(value),
  }));
}
