import type { ConsentCountsResponse } from '../../client/types.gen';
import { t, translateCode } from '../../i18n/i18n';
import { languageName, regionName } from '../../shared/display-names';
import { Percent } from '../../shared/no-value';
import { Section } from '../../shared/section';
import { type BarRow, Bars, BreakdownCard } from './breakdown-card';
import { type GroupedRow, groupedRows, type Grouping } from './grouped';
import { rateColumns } from './metric-columns';
import { CATEGORIES, rateOf } from './metrics';
import type { ConsentReports } from './use-reports';

/** Records by one thing, beside the period before. */
export function Breakdown({ by, consents }: { by: Grouping; consents: ConsentReports }) {
  const rows = groupedRows(by, consents).map((row) => ({
    name: nameOf(by, row),
    now: row.counts.records,
    before: row.before,
    counts: row.counts,
  }));
  return (
    <BreakdownCard
      title={t(`analytics.by.${by}`)}
      metric={t('analytics.metrics.records')}
      rows={rows}
      columns={rateColumns<BarRow & { counts: ConsentCountsResponse }>(({ counts }) => counts)}
      empty={t('analytics.none')}
    />
  );
}

/** Opt-in rate of each category. */
export function Categories({ consents: { current, former } }: { consents: ConsentReports }) {
  const title = t('analytics.byCategory');
  const rows = CATEGORIES.map((category) => {
    const [now, before] = [rateOf(current.totals, category), rateOf(former.totals, category)];
    return {
      name: t(`analytics.metrics.${category}`),
      now: now ?? 0,
      before,
      texts: {
        now: <Percent share={now} reason={t('analytics.noChoices')} />,
        before: <Percent share={before} reason={t('analytics.noChoicesBefore')} />,
      },
    };
  });
  return (
    <Section title={title} text={t('analytics.byCategoryText')}>
      <Bars title={title} metric={t('analytics.optIn')} rows={rows} full={1} />
    </Section>
  );
}

function nameOf(by: Grouping, { key, isOthers }: GroupedRow): string {
  if (isOthers) return t('analytics.others');
  if (by === 'action') return translateCode('actions', key) ?? key ?? '';
  if (key === null) return by === 'hostname' ? t('consents.noHost') : t('analytics.unknown');
  if (by === 'hostname') return key;
  return by === 'region' ? regionName(key) : languageName(key);
}
