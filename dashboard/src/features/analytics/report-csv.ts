import type {
  ConsentCountsResponse,
  NamedSiteCountsResponse,
  SiteCountsResponse,
} from '../../client/types.gen';
import { GROUPINGS, groupedRows } from './grouped';
import { rateOf, RATES, SITE_METRICS } from './metrics';
import { SITE_GROUPINGS } from './site-groupings';
import type { ConsentReports, SiteReports } from './use-reports';

const COLUMNS = [
  'group',
  'name',
  'records',
  'recordsBefore',
  'asked',
  ...RATES,
  'visitsBefore',
  ...SITE_METRICS,
];
/** Beginnings of a cell that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r＝＋－＠]/;

type Cells = Record<string, string | number | null>;

/** The numbers of the page as CSV (RFC 4180), named as the API names them; rates are shares of 0 to 1. */
export function reportCsv({ current, former }: ConsentReports, visits: SiteReports | null): string {
  const rows: Cells[] = [
    {
      group: 'total',
      name: `${current.from} / ${current.to}`,
      ...consentCells(current.totals, former.totals.records),
      ...(visits && siteCells(visits.current.totals, visits.former.totals.visits)),
    },
    ...current.series.map((counts) => ({
      group: current.interval,
      name: counts.at,
      ...consentCells(counts, null),
    })),
    ...GROUPINGS.flatMap((by) =>
      groupedRows(by, { current, former }).map(({ key, isOthers, counts, before }) => ({
        group: by,
        name: isOthers ? 'others' : key,
        ...consentCells(counts, before),
      })),
    ),
    ...(visits ? siteRows(visits) : []),
  ];
  const lines = [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column] ?? ''))];
  return lines.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function siteRows({ current, former }: SiteReports): Cells[] {
  return SITE_GROUPINGS.flatMap((by) => {
    const before = new Map(former[by].map(({ name, visits }) => [name, visits]));
    return current[by].map((counts: NamedSiteCountsResponse) => ({
      group: `visits ${by}`,
      name: counts.name,
      ...siteCells(counts, before.get(counts.name) ?? null),
    }));
  });
}

function consentCells(counts: ConsentCountsResponse, recordsBefore: number | null): Cells {
  const { records, asked } = counts;
  return {
    records,
    recordsBefore,
    asked,
    ...Object.fromEntries(RATES.map((rate) => [rate, rateOf(counts, rate)])),
  };
}

function siteCells(counts: SiteCountsResponse, visitsBefore: number | null): Cells {
  return { ...Object.fromEntries(SITE_METRICS.map((name) => [name, counts[name]])), visitsBefore };
}

function cell(value: string | number): string {
  const text = String(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
