import { Button, CloseButton, Drawer, Stack, Switch, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { AccessDenial } from '../../shared/access';
import { Segments } from '../../shared/segments';
import { t } from '../../i18n/i18n';
import { BannerFrame } from './banner-frame';
import { CATEGORIES, type Configuration, MODES, withoutEntry } from './configuration';
import type { FieldsProps } from './field-props';
import { rowName } from './matrix-words';
import { mixedModesWords } from './mode-words';
import { PresetDetails } from './preset-details';
import { PresetNotes } from './preset-notes';
import { RegionCodesInput } from './region-codes-input';
import {
  findPreset,
  matrixRows,
  movedRule,
  type RowChange,
  visitorOf,
  withMode,
  withRow,
} from './region-matrix';
import { RuleOrder } from './rule-order';
import { rowError } from './row-error';
import { previewDocument } from './text-mode';
import { usePresets } from './use-presets';
import type { usePreview } from './use-preview';
import './region-rules.css';

const route = getRouteApi('/signed-in/projects/$projectId/banner');

interface RegionDrawerProps extends FieldsProps {
  /** The place of the rule; `other`: all other regions. */
  rule: number | 'other';
  shown: ReturnType<typeof usePreview>;
  language: string;
  disabled: boolean;
  rulesRefusal: AccessDenial;
  /** Saves all changes of the page as a draft; null: there is nothing to save, or it cannot be saved. */
  save: ((then: () => void) => void) | null;
  isSaving: boolean;
}

/** Edits a region's rule, docked beside the list; in a narrow window, over the page. */
export function RegionDrawer(props: RegionDrawerProps) {
  const isDocked = useMediaQuery('(min-width: 1100px)', true, { getInitialValueInEffect: false });
  const navigate = route.useNavigate();
  const presets = usePresets(props.projectId, props.form.texts);
  const [at] = useState(() => new Date());
  const rows = matrixRows(props.form, presets?.regionPresets ?? [], at);
  const row = rows.find(({ index }) => (index ?? 'other') === props.rule);
  const close = () => void navigate({ search: ({ rule: _rule, ...others }) => others, replace: true });
  if (!row || !presets) return null;
  const title = rowName(row);
  const content = <RegionEditor key={props.rule} {...{ ...props, row, at, close }} presets={presets} />;
  if (!isDocked)
    return (
      <Drawer
        opened
        onClose={close}
        position="right"
        size={480}
        title={title}
        closeButtonProps={{ 'aria-label': t('shared.close') }}
      >
        {content}
      </Drawer>
    );
  return (
    <section className="card region-drawer" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <CloseButton aria-label={t('shared.close')} onClick={close} />
      </header>
      {content}
    </section>
  );
}

function RegionEditor(
  props: RegionDrawerProps & {
    row: ReturnType<typeof matrixRows>[number];
    presets: NonNullable<ReturnType<typeof usePresets>>;
    at: Date;
    close: () => void;
  },
) {
  const { form, change, fields, row, presets, at, close, language, shown } = props;
  const navigate = route.useNavigate();
  const { index } = row;
  const rules = form.regionRules;
  const name = rowName(row);
  const disabled = props.disabled || (index !== null && props.rulesRefusal !== null);
  const error = rowError(fields, index);
  const visitor = visitorOf(rules, index);
  const put = (changes: RowChange) => change(withRow(form, row, changes));
  const shared = { row, disabled, at, put };
  /** The rules at the time this one was opened. */
  const [before] = useState({
    regionRules: rules,
    defaultMode: form.defaultMode,
    defaultModes: form.defaultModes,
    defaultPreset: form.defaultPreset,
    honorGlobalPrivacyControl: form.honorGlobalPrivacyControl,
  });
  const cancel = () => {
    close();
    const isNew = index !== null && before.regionRules[index]?.regions.length === 0;
    change(isNew ? { ...before, regionRules: withoutEntry(before.regionRules, index) } : before);
  };
  return (
    <Stack gap="md" className="region-editor">
      {index !== null && (
        <RegionCodesInput
          regions={row.regions}
          label={t('rules.regions')}
          error={error}
          disabled={disabled}
          put={(regions) => put({ regions })}
        />
      )}
      {index === null && error !== undefined && <Text c="red">{error}</Text>}
      {visitor === null && row.regions.length > 0 && <Text c="dimmed">{t('rules.covered')}</Text>}
      <section>
        <h3>{t('rules.before')}</h3>
        {CATEGORIES.map((category) => (
          <div key={category} className="region-line">
            <span>
              {t(`categories.${category}`)}
              {!form.categories.includes(category) && <small> {t('rules.notOffered')}</small>}
            </span>
            <Segments
              label={t('rules.modeOf', { category: t(`categories.${category}`), regions: name })}
              options={MODES}
              labelOf={(mode) => t(`rules.shortModes.${mode}`)}
              value={row.modes[category]}
              disabled={disabled}
              onChange={(mode) => put(withMode(row, category, mode))}
            />
          </div>
        ))}
        <Switch
          mt="xs"
          label={t('rules.honorSignal')}
          aria-label={t('rules.honorSignalIn', { regions: name })}
          description={row.requiresSignal ? t('rules.signalRequired') : t('rules.signalOptional')}
          checked={row.honorsSignal}
          disabled={disabled || row.requiresSignal}
          onChange={(event) => put({ honorsSignal: event.currentTarget.checked })}
        />
      </section>
      {visitor !== null && shown.preview && (
        <section>
          <h3>{t('rules.seen')}</h3>
          <div className="region-preview">
            <BannerFrame
              scene={{
                configuration: previewDocument(shown.preview.document, form, presets.texts),
                region: visitor,
                modes: row.modes,
                language,
                dark: false,
                signal: false,
                isSecondLayer: false,
                choice: null,
              }}
              device="phone"
              isCropped
              shownWords={mixedModesWords(row.modes, form.categories)}
            />
          </div>
          <Effects modes={row.modes} offered={form.categories} />
        </section>
      )}
      <section>
        <h3>{t('rules.why')}</h3>
        <PresetDetails {...shared} presets={presets.regionPresets} name={name} />
        <PresetNotes {...shared} preset={findPreset(presets.regionPresets, row.preset)} />
      </section>
      {index !== null && (
        <RuleOrder
          index={index}
          count={rules.length}
          disabled={disabled}
          onMove={(by) => {
            change({ regionRules: movedRule(rules, index, index + by) });
            void navigate({ search: (search) => ({ ...search, rule: index + by }), replace: true });
          }}
        />
      )}
      <footer>
        <Button
          size="xs"
          disabled={disabled || props.save === null}
          loading={props.isSaving}
          onClick={() => props.save?.(close)}
        >
          {t('rules.saveToDraft')}
        </Button>
        <Button size="xs" variant="default" onClick={cancel}>
          {t('shared.cancel')}
        </Button>
        {index !== null && (
          <Button
            size="xs"
            ml="auto"
            variant="subtle"
            color="red"
            disabled={disabled}
            onClick={() => {
              close();
              change({ regionRules: withoutEntry(rules, index) });
            }}
          >
            {t('rules.remove')}
          </Button>
        )}
      </footer>
    </Stack>
  );
}

/** The effect of the modes on a visitor, by category. */
function Effects({
  modes,
  offered,
}: {
  modes: Configuration['defaultModes'];
  offered: Configuration['categories'];
}) {
  return (
    <dl className="region-effects">
      {offered.map((category) => (
        <div key={category}>
          <dt>{t(`categories.${category}`)}</dt>
          <dd>{t(`rules.effects.${modes[category]}`)}</dd>
        </div>
      ))}
    </dl>
  );
}
