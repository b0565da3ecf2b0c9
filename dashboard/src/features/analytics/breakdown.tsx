import type { ConsentAnalyticsView } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import { DataTable } from '../../shared/data-table';
import { Section } from '../../shared/section';
import { t, translateCode } from '../../i18n/i18n';
import { languageName, regionName } from '../../shared/display-names';
import { rateColumns, recordsColumn } from './count-columns';
import { type GroupedRow, groupedRows, type Grouping } from './grouped';

type NamedRow = GroupedRow & { name: string };

/** Bars drawn; the table lists all rows. */
const BARS_MAX = 8;

/** Records by one thing, beside the period before: a picture of the most frequent names, and a table of all. */
export function Breakdown({
  by,
  ...periods
}: {
  by: Grouping;
  current: ConsentAnalyticsView;
  former: ConsentAnalyticsView;
}) {
  const title = t(`analytics.by.${by}`);
  const rows = groupedRows(by, periods).map((row) => ({ ...row, name: nameOf(by, row) }));
  if (rows.length === 0) return <Section title={title}>{t('analytics.none')}</Section>;
  return (
    <Section title={title}>
      <Bars title={title} rows={rows.slice(0, BARS_MAX)} />
      <DataTable
        label={title}
        items={rows}
        rowKey={({ name }) => name}
        columns={[
          { title: t('analytics.name'), cell: ({ name }) => <Name name={name} /> },
          recordsColumn<NamedRow>(({ counts }) => counts),
          { title: t('analytics.previousPeriod'), numeric: true, cell: ({ before }) => numberBefore(before) },
          ...rateColumns<NamedRow>(({ counts }) => counts),
        ]}
      />
    </Section>
  );
}

function Bars({ title, rows }: { title: string; rows: NamedRow[] }) {
  const longest = Math.max(1, ...rows.flatMap(({ counts, before }) => [counts.records, before ?? 0]));
  return (
    <div className="bars" role="img" aria-label={`${title}. ${t('analytics.bars')}`}>
      <div className="bars-row bars-head">
        <span />
        <span />
        <span className="number">
          <i className="bar" /> {t('analytics.thisPeriod')}
        </span>
        <span className="number">
          <i className="bar before" /> {t('analytics.previousPeriod')}
        </span>
      </div>
      {rows.map(({ name, counts, before }) => (
        <div key={name} className="bars-row">
          <Name name={name} />
          <span>
            <Bar className="bar" records={counts.records} longest={longest} />
            <Bar className="bar before" records={before ?? 0} longest={longest} />
          </span>
          <span className="number">{formatNumber(counts.records)}</span>
          <span className="number">{numberBefore(before)}</span>
        </div>
      ))}
    </div>
  );
}

/** Host names and names of languages may be longer than there is room. */
function Name({ name }: { name: string }) {
  return (
    <span className="sentence-cell middling" title={name}>
      {name}
    </span>
  );
}

function nameOf(by: Grouping, { key, isOthers }: GroupedRow): string {
  if (isOthers) return t('analytics.others');
  if (by === 'action') return translateCode('actions', key) ?? key ?? '';
  if (key === null) return by === 'hostname' ? t('consents.noHost') : t('analytics.unknown');
  if (by === 'hostname') return key;
  return by === 'region' ? regionName(key) : languageName(key);
}

/** As long as its share of the longest one; whatever is there is seen. */
function Bar({ className, records, longest }: { className: string; records: number; longest: number }) {
  return (
    <i
      className={className}
      data-none={records === 0 || undefined}
      style={{ width: `${(records / longest) * 100}%` }}
    />
  );
}

const numberBefore = (before: number | null): string => (before === null ? '–' : formatNumber(before));
