import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { DataTable } from '../../shared/data-table';
import { formatNumber } from '../../shared/format';
import type { Column } from '../../shared/infinite-table';
import { NoValue } from '../../shared/no-value';
import { Section } from '../../shared/section';
import { VisibleText } from '../../shared/visible-text';
import { t } from '../../i18n/i18n';
import { showHidden } from '../../i18n/show-hidden';

/** Rows of the short list; the full table has all of them. */
const BARS_MAX = 6;

export interface BarRow {
  name: string;
  now: number;
  /** null: not among the names of the period before. */
  before: number | null;
  /** The numbers as text; integers by default. */
  texts?: { now: ReactNode; before: ReactNode };
}

/** The most frequent names as bars, and at a click the table of all with more columns, over both columns of the page. */
export function BreakdownCard<Row extends BarRow>(props: {
  title: string;
  rows: Row[];
  /** Of the full table, behind name, number, and the number of the period before. */
  columns: Column<Row>[];
  /** The metric of the bars. */
  metric: string;
  empty: ReactNode;
}) {
  const { title, rows, columns, metric, empty } = props;
  const [isTable, setTable] = useState(false);
  if (rows.length === 0) return <Section title={title}>{empty}</Section>;
  return (
    <div className="breakdown" data-wide={isTable || undefined}>
      <Section
        title={title}
        aside={
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            aria-expanded={isTable}
            aria-label={`${title}: ${isTable ? t('analytics.hideTable') : t('analytics.showTable')}`}
            onClick={() => setTable(!isTable)}
          >
            {isTable ? t('analytics.hideTable') : t('analytics.showTable')}
          </Button>
        }
      >
        {isTable ? (
          <DataTable
            label={title}
            items={rows}
            rowKey={({ name }) => name}
            columns={[
              { title: t('analytics.name'), cell: ({ name }) => <Name name={name} /> },
              { title: metric, numeric: true, cell: (row) => textsOf(row).now },
              { title: t('analytics.previousPeriod'), numeric: true, cell: (row) => textsOf(row).before },
              ...columns,
            ]}
          />
        ) : (
          <Bars title={title} metric={metric} rows={rows.slice(0, BARS_MAX)} />
        )}
        {!isTable && rows.length > BARS_MAX && (
          <p className="breakdown-more">{t('analytics.more', { count: rows.length - BARS_MAX })}</p>
        )}
      </Section>
    </div>
  );
}

/** A bar behind each name is this period; the line in it marks the period before. */
export function Bars({
  title,
  metric,
  rows,
  full,
}: {
  title: string;
  metric: string;
  rows: BarRow[];
  /** The number of a bar over the whole width; absent: the largest one. */
  full?: number;
}) {
  const longest = full ?? (Math.max(...rows.flatMap(({ now, before }) => [now, before ?? 0])) || 1);
  const share = (value: number) => `${(value / longest) * 100}%`;
  return (
    <table className="bars" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">{t('analytics.name')}</th>
          <th scope="col">{metric}</th>
          <th scope="col">{t('analytics.previousPeriod')}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <td>
              <i className="bar" style={{ width: share(row.now) }} />
              {row.before !== null && row.before > 0 && (
                <i className="bar-before" style={{ width: share(row.before) }} />
              )}
              <Name name={row.name} />
            </td>
            <td>{textsOf(row).now}</td>
            <td>{textsOf(row).before}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Host names and names of languages may be longer than there is room. */
function Name({ name }: { name: string }) {
  return (
    <span className="bar-name" title={showHidden(name)}>
      <VisibleText text={name} />
    </span>
  );
}

function textsOf({ now, before, texts }: BarRow): { now: ReactNode; before: ReactNode } {
  return (
    texts ?? {
      now: formatNumber(now),
      before: before === null ? <NoValue reason={t('analytics.notListedBefore')} /> : formatNumber(before),
    }
  );
}
