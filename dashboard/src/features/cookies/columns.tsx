import type { CookieResponse } from '../../client/types.gen';
import type { Column } from '../../shared/infinite-table';
import { RelativeTime } from '../../shared/timestamps';
import { TruncatedText } from '../../shared/truncated-text';
import { locale, t } from '../../i18n/i18n';
import { CategorySelect, cookieName } from './category-select';

/** Of a scan. */
const STATES = 5;

interface Options {
  projectId: string;
  disabled: boolean;
}

export function cookieColumns(options: Options): Column<CookieResponse>[] {
  return [
    {
      title: t('cookies.name'),
      flexible: true,
      cell: (cookie) => <TruncatedText text={cookieName(cookie)} />,
    },
    category(options),
    {
      title: t('cookies.provider'),
      cell: (cookie) => <TruncatedText width="brief" text={providerOf(cookie)} />,
    },
    { title: t('cookies.kind'), cell: ({ kind }) => t(`cookies.kinds.${kind}`) },
    { title: t('cookies.site'), cell: ({ host }) => <TruncatedText width="brief" text={host} /> },
    { title: t('cookies.seenIn'), cell: (cookie) => <TruncatedText width="brief" text={statesOf(cookie)} /> },
    {
      title: t('cookies.lastSeen'),
      cell: ({ firstSeenAt, lastSeenAt }) => (
        <span title={`${t('cookies.firstSeen')}: ${new Date(firstSeenAt).toLocaleString(locale)}`}>
          <RelativeTime at={lastSeenAt} />
        </span>
      ),
    },
  ];
}

export function phoneColumns(options: Options): Column<CookieResponse>[] {
  return [
    {
      title: t('cookies.name'),
      flexible: true,
      cell: (cookie) => (
        <>
          <TruncatedText text={cookieName(cookie)} />
          <small>{`${t(`cookies.kinds.${cookie.kind}`)} · ${providerOf(cookie)}`}</small>
        </>
      ),
    },
    category(options),
  ];
}

function category({ projectId, disabled }: Options): Column<CookieResponse> {
  return {
    title: t('cookies.category'),
    cell: (cookie) => <CategorySelect projectId={projectId} cookie={cookie} disabled={disabled} />,
  };
}

function providerOf({ classification: { source, service, provider } }: CookieResponse): string {
  if (source === 'own') return t('cookies.ownProvider');
  return provider ?? service ?? t('cookies.unknownProvider');
}

function statesOf({ states }: CookieResponse): string {
  if (states.length === STATES) return t('cookies.allStates');
  return states.map((state) => t(`scans.states.${state}`)).join(', ');
}
