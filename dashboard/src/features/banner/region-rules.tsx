import { Anchor, Button, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import Plus from 'lucide-react/icons/plus';
import { useState } from 'react';
import { consentAnalyticsOptions } from '../../client/@tanstack/react-query.gen';
import { AccessNote, type AccessDenial } from '../../shared/access';
import { regionName } from '../../shared/display-names';
import { Notice } from '../../shared/notice';
import { SearchField } from '../../shared/search-field';
import { locale, t } from '../../i18n/i18n';
import { allModes, type RegionRule } from './configuration';
import type { FieldsProps } from './field-props';
import { dayWords, regionsWords } from './matrix-words';
import { PlaceTest } from './place-test';
import { findRows, nextChange, recordShares } from './region-groups';
import { countriesWithoutParts, matrixRows, withNewestPresets, withPresetRules } from './region-matrix';
import { ModeLegend, RegionTable } from './region-table';
import { REGION_DOCS } from './signal-docs';
import { usePresets } from './use-presets';

const route = getRouteApi('/signed-in/projects/$projectId/banner');

export interface RegionRulesProps extends FieldsProps {
  /** Why rules by region cannot be changed; modes of all other regions can be, on every tier. */
  rulesRefusal: AccessDenial;
}

/** The rules in words, then one line per region, grouped by kind of law. */
export function RegionRules({ projectId, form, change, fields, rulesRefusal }: RegionRulesProps) {
  const presets = usePresets(projectId, form.texts)?.regionPresets;
  const navigate = route.useNavigate();
  const [at] = useState(() => new Date());
  const [search, setSearch] = useState('');
  const { rule: opened } = route.useSearch();
  const rules = form.regionRules;
  const rows = matrixRows(form, presets ?? [], at);
  const withPresets = presets ? withPresetRules(rules, presets, at) : rules;
  const found = findRows(rows, presets ?? [], search, t('rules.otherRegions'));
  const isRefused = rulesRefusal !== null;
  const { data: analytics } = useQuery({
    ...consentAnalyticsOptions({ path: { projectId } }),
    enabled: rules.length > 0 && !isRefused,
    staleTime: Infinity,
  });
  const recorded = analytics?.byRegion ?? [];
  return (
    <>
      <AccessNote refusal={rulesRefusal} projectId={projectId} what={t('rules.title')} />
      {!isRefused && <UnknownPartsNotice rules={rules} recorded={recorded.map(({ region }) => region)} />}
      <dl className="region-summary">
        <div>
          <dt>{t('rules.followed')}</dt>
          <dd>
            {t('rules.followedOf', {
              count: rows.filter(({ preset }) => preset !== null).length,
              all: rows.length,
            })}
          </dd>
        </div>
        <div>
          <dt>{t('rules.nextChange')}</dt>
          <dd>
            <NextChange change={nextChange(rows, presets ?? [], at)} />
          </dd>
        </div>
        <div>
          <dt>{t('rules.testPlace')}</dt>
          <dd>
            <PlaceTest rows={rows} />
          </dd>
        </div>
      </dl>
      <div className="region-list">
        <div className="list-head">
          <SearchField
            aria-label={t('rules.find')}
            placeholder={t('rules.find')}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          <ModeLegend />
          <Button
            variant="default"
            ml="auto"
            leftSection={<Plus className="icon" aria-hidden />}
            disabled={isRefused}
            onClick={() => {
              change({
                regionRules: [...rules, { regions: [], mode: 'opt_in', modes: allModes('opt_in') }],
              });
              void navigate({ search: (before) => ({ ...before, rule: rules.length }), replace: true });
            }}
          >
            {t('rules.add')}
          </Button>
          {withPresets.length > rules.length && (
            <Button
              variant="default"
              disabled={isRefused}
              onClick={() => change({ regionRules: withPresets })}
            >
              {t('rules.addPresets')}
            </Button>
          )}
        </div>
        <RegionTable
          rows={found}
          presets={presets}
          offered={form.categories}
          rules={rules}
          fields={fields}
          share={recordShares(rules, recorded)}
          opened={opened}
        />
        {found.length === 0 && <div className="list-end">{t('rules.noneFound')}</div>}
      </div>
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
    </>
  );
}

function NextChange({ change }: { change: ReturnType<typeof nextChange> }) {
  if (!change) return t('rules.noChange');
  return t('rules.changeOn', { day: dayWords(change.day), regions: regionsWords(change.regions, 3) });
}

/** Advises to send subdivisions where rules name some and the records of the last 30 days have none. */
function UnknownPartsNotice({ rules, recorded }: { rules: RegionRule[]; recorded: (string | null)[] }) {
  const found = countriesWithoutParts(rules, recorded);
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
