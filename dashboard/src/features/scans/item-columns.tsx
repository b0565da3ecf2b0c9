import type { ScanItemResponse, ScanPageResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import type { Column } from '../../shared/infinite-table';
import { NoValue } from '../../shared/no-value';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { t } from '../../i18n/i18n';
import { PageStatus, pageReason } from './scan-status';

/** The path of each page, by its number. */
export type PagePaths = ReadonlyMap<number, string>;

const name: Column<ScanItemResponse> = {
  title: t('scans.name'),
  cell: (item) => <TruncatedText text={item.name} />,
};
const party: Column<ScanItemResponse> = {
  title: t('scans.party'),
  cell: ({ thirdParty }) => t(thirdParty ? 'scans.thirdParty' : 'scans.firstParty'),
};

const state: Column<ScanItemResponse> = {
  title: t('scans.state'),
  cell: (item) => t(`scans.states.${item.state}`),
};

function host(title: string): Column<ScanItemResponse> {
  return { title, cell: (item) => <TruncatedText text={item.host} /> };
}

function page(paths: PagePaths): Column<ScanItemResponse> {
  return {
    title: t('scans.page'),
    cell: (item) => <TruncatedText text={paths.get(item.page) ?? String(item.page)} />,
  };
}

const STORAGES: Partial<Record<ScanItemResponse['kind'], string>> = {
  local_storage: 'localStorage',
  session_storage: 'sessionStorage',
  indexed_db: 'IndexedDB',
};

export function cookieColumns(paths: PagePaths): Column<ScanItemResponse>[] {
  return [
    name,
    host(t('scans.domain')),
    party,
    { title: t('scans.setBy'), cell: setBy },
    { title: t('scans.sent'), cell: ({ sent }) => t(sent ? 'list.yes' : 'list.no') },
    {
      title: t('scans.expires'),
      cell: ({ expiresAt }) => (expiresAt === null ? t('scans.session') : <RelativeTime at={expiresAt} />),
    },
    state,
    page(paths),
  ];
}

export function storageColumns(paths: PagePaths): Column<ScanItemResponse>[] {
  return [
    name,
    {
      title: t('scans.storage'),
      cell: ({ kind }) => STORAGES[kind] ?? kind,
    },
    host(t('scans.origin')),
    party,
    {
      title: t('scans.characters'),
      cell: ({ valueLength }) => formatNumber(valueLength ?? 0),
      numeric: true,
    },
    state,
    page(paths),
  ];
}

export function requestColumns(paths: PagePaths): Column<ScanItemResponse>[] {
  return [
    host(t('scans.host')),
    { title: t('scans.path'), cell: (item) => <TruncatedText text={item.name} /> },
    party,
    { title: t('scans.type'), cell: ({ type }) => type ?? <NoValue reason={t('scans.notKnown')} /> },
    {
      title: t('scans.initiator'),
      cell: ({ initiator }) =>
        initiator === null ? <NoValue reason={t('scans.notKnown')} /> : <TruncatedText text={initiator} />,
    },
    { title: t('scans.count'), cell: ({ count }) => formatNumber(count ?? 1), numeric: true },
    state,
    page(paths),
  ];
}

export const PAGE_COLUMNS: Column<ScanPageResponse>[] = [
  { title: t('scans.address'), cell: ({ url }) => <TruncatedText text={url} /> },
  { title: t('scans.status'), cell: (visited) => <PageStatus page={visited} /> },
  {
    title: t('scans.reason'),
    cell: (visited) => (
      <span className="sentence-cell">
        {pageReason(visited) || <NoValue reason={t('scans.noProblem')} />}
      </span>
    ),
  },
  {
    title: t('scans.loader'),
    cell: ({ status, loaderFound }) =>
      status === 'visited' ? (
        t(loaderFound ? 'list.yes' : 'list.no')
      ) : (
        <NoValue reason={t('scans.notVisited')} />
      ),
  },
];

function setBy({ setBy: origin }: ScanItemResponse) {
  if (origin === 'response') return t('scans.setByResponse');
  return origin === 'script' ? t('scans.setByScript') : <NoValue reason={t('scans.notKnown')} />;
}
