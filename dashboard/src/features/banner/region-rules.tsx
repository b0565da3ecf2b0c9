import { Anchor, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { consentAnalyticsOptions } from '../../client/@tanstack/react-query.gen';
import { AccessNote, type AccessDenial } from '../../shared/access';
import { regionName } from '../../shared/display-names';
import { Notice } from '../../shared/notice';
import { locale, t } from '../../i18n/i18n';
import { allModes, CATEGORIES, type Category, type RegionRule, withoutEntry } from './configuration';
import type { FieldsProps } from './field-props';
import { MatrixRow, rowName } from './matrix-row';
import {
  countriesWithoutParts,
  matrixRows,
  movedRule,
  visitorOf,
  withNewestPresets,
  withPresetRules,
  withRow,
} from './region-matrix';
import { REGION_DOCS } from './signal-docs';
import { usePresets } from './use-presets';

export interface RegionRulesProps extends FieldsProps {
  /** Why rules by region cannot be changed; modes of all other regions can be, on every tier. */
  rulesRefusal: AccessDenial;
  /** Shows what a visitor of a region gets, and what that means for a category. */
  onPreview: (cell: PreviewedCell) => void;
}

/** A cell of the matrix, as a visitor of its row. */
export interface PreviewedCell {
  region: string;
  category: Category;
  /** The row in words. */
  name: string;
}

/** Regions down, categories across, the mode in each cell. */
export function RegionRules({ projectId, form, change, fields, rulesRefusal, onPreview }: RegionRulesProps) {
  const presets = usePresets(projectId)?.regionPresets;
  const [at] = useState(() => new Date());
  /** The rule whose regions are edited. */
  const [edited, setEdited] = useState<number | null>(null);
  const rules = form.regionRules;
  const rows = matrixRows(form, presets ?? [], at);
  const isRefused = rulesRefusal !== null;
  return (
    <Stack gap="sm">
      <AccessNote refusal={rulesRefusal} projectId={projectId} what={t('rules.title')} />
      {!isRefused && <UnknownPartsNotice {...{ projectId, rules }} />}
      <div className="matrix" aria-busy={!presets}>
        <table aria-label={t('rules.table')}>
          <thead>
            <tr>
              <th scope="col">{t('rules.regions')}</th>
              {CATEGORIES.map((category) => (
                <th key={category} scope="col">
                  {t(`categories.${category}`)}
                  {!form.categories.includes(category) && <small>{t('rules.notOffered')}</small>}
                </th>
              ))}
            </tr>
          </thead>
          {rows.map((row) => {
            const { index } = row;
            const visitor = visitorOf(rules, index);
            return (
              <MatrixRow
                key={index ?? 'other'}
                {...{ row, at }}
                presets={presets ?? []}
                offered={form.categories}
                error={rowError(fields, index)}
                isCovered={visitor === null}
                isLastRule={index === rules.length - 1}
                isEdited={index !== null && edited === index}
                disabled={index !== null && isRefused}
                put={(changes) => {
                  // The field stays open while the rule becomes valid.
                  if (changes.regions) setEdited(index);
                  change(withRow(form, row, changes));
                }}
                onPreview={(category) => {
                  if (visitor !== null) onPreview({ region: visitor, category, name: rowName(row) });
                }}
                onEdit={() => setEdited(edited === index ? null : index)}
                onMove={(by) => {
                  setEdited(null);
                  if (index !== null) change({ regionRules: movedRule(rules, index, index + by) });
                }}
                onRemove={() => {
                  setEdited(null);
                  if (index !== null) change({ regionRules: withoutEntry(rules, index) });
                }}
              />
            );
          })}
        </table>
      </div>
      <Group gap="xs">
        <Button
          variant="default"
          disabled={isRefused}
          onClick={() => {
            setEdited(rules.length);
            change({ regionRules: [...rules, { regions: [], mode: 'opt_in', modes: allModes('opt_in') }] });
          }}
        >
          {t('rules.add')}
        </Button>
        <Button
          variant="default"
          // Disabled until the presets have loaded.
          disabled={isRefused || !presets}
          onClick={() => presets && change({ regionRules: withPresetRules(rules, presets, at) })}
        >
          {t('rules.addPresets')}
        </Button>
      </Group>
      <Switch
        label={t('rules.presetUpdates')}
        description={t('rules.presetUpdatesHint')}
        checked={form.presetUpdates}
        disabled={!presets}
        onChange={({ currentTarget: { checked } }) =>
          change({
            presetUpdates: checked,
            ...(checked && presets && withNewestPresets(form, presets, at)),
          })
        }
      />
    </Stack>
  );
}

/** Advises to send subdivisions where rules name some and the records of the last 30 days have none. */
function UnknownPartsNotice({ projectId, rules }: { projectId: string; rules: RegionRule[] }) {
  const isNeeded = rules.some(({ regions }) => regions.some((name) => name.includes('-')));
  const { data } = useQuery({
    ...consentAnalyticsOptions({ path: { projectId } }),
    enabled: isNeeded,
    staleTime: Infinity,
  });
  const found = countriesWithoutParts(rules, data?.byRegion.map(({ region }) => region) ?? []);
  if (found.length === 0) return null;
  const countries = new Intl.ListFormat(locale).format(found.map(regionName));
  return (
    <Notice>
      <Text fw={600}>{t('rules.unknownParts.title', { countries })}</Text>
      <Text>{t('rules.unknownParts.text')}</Text>
      <Anchor href={REGION_DOCS} target="_blank" rel="noopener">
        {t('rules.unknownParts.more')}
      </Anchor>
    </Notice>
  );
}

/** The API's error about a row. */
function rowError(fields: FieldsProps['fields'], index: number | null): string | undefined {
  const isOfRow = (name: string): boolean =>
    index === null ? name.startsWith('default') : name.startsWith(`regionRules.${index}.`);
  return Object.entries(fields).find(([name]) => isOfRow(name) && name !== 'defaultLanguage')?.[1];
}
