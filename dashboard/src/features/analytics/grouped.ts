import type { AnalyticsResponse, ConsentCountsResponse } from '../../client/types.gen';

/** By what records are grouped beside the time, in the order of the page. */
export const GROUPINGS = ['action', 'hostname', 'region', 'language'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** How many records had a name in each period. */
export interface GroupedRow {
  /** As the API returns it; null: the records have none. */
  key: string | null;
  /** All others together, which have no key. */
  isOthers: boolean;
  counts: ConsentCountsResponse;
  /** Records of the period before; null where the name was not among those listed, and may be one of the others. */
  before: number | null;
}

interface Group {
  entries: { key: string | null; counts: ConsentCountsResponse }[];
  others: ConsentCountsResponse;
}

const NO_RECORDS: ConsentCountsResponse = {
  records: 0,
  asked: 0,
  analytics: 0,
  marketing: 0,
  preferences: 0,
  fullAccept: 0,
  rejection: 0,
  withdrawal: 0,
  rates: {
    analytics: null,
    marketing: null,
    preferences: null,
    fullAccept: null,
    rejection: null,
    withdrawal: null,
  },
};

/** The names of a period beside the one before, the most frequent first; what only the one before had comes last. */
export function groupedRows(
  by: Grouping,
  { current, former }: { current: AnalyticsResponse; former: AnalyticsResponse },
): GroupedRow[] {
  const [now, then] = [groupOf[by](current), groupOf[by](former)];
  const before = new Map(then.entries.map(({ key, counts }) => [key, counts.records]));
  const listed = new Set(now.entries.map(({ key }) => key));
  const gone = now.others.records > 0 ? [] : then.entries.filter(({ key }) => !listed.has(key));
  const rows = [...now.entries, ...gone.map(({ key }) => ({ key, counts: NO_RECORDS }))].map(
    ({ key, counts }): GroupedRow => ({
      key,
      isOthers: false,
      counts,
      before: before.get(key) ?? (then.others.records > 0 ? null : 0),
    }),
  );
  if (now.others.records + then.others.records > 0)
    rows.push({ key: null, isOthers: true, counts: now.others, before: then.others.records });
  return rows;
}

const groupOf: Record<Grouping, (view: AnalyticsResponse) => Group> = {
  action: ({ byAction, otherActions: others }) => ({
    entries: byAction.map((counts) => ({ key: counts.action, counts })),
    others,
  }),
  hostname: ({ byHostname, otherHostnames: others }) => ({
    entries: byHostname.map((counts) => ({ key: counts.hostname, counts })),
    others,
  }),
  region: ({ byRegion, otherRegions: others }) => ({
    entries: byRegion.map((counts) => ({ key: counts.region, counts })),
    others,
  }),
  language: ({ byLanguage, otherLanguages: others }) => ({
    entries: byLanguage.map((counts) => ({ key: counts.language, counts })),
    others,
  }),
};
