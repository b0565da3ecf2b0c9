import type { FindingResponse } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import { locale, t } from '../../i18n/i18n';

const DAY_SECONDS = 86_400;
/** Hosts that a sentence names. */
const SETTERS_MAX = 3;

export type PageUse = FindingResponse['uses'][number];

/** The observation as a sentence; never whether it is allowed. */
export function findingSentence(finding: FindingResponse): string {
  const { kind, itemKind, name, host, pageUrls, initiator, declared, lifetimeSeconds } = finding;
  const facts = {
    // Requests have no name.
    item: itemKind === 'request' ? 'request' : 'stored',
    name,
    host,
    ...pagesIn(pageUrls),
    acts: actsIn(finding),
    by: initiator?.split('/')[0] ?? 'none',
    declared: declared ?? '',
    days: formatNumber(Math.round((lifetimeSeconds ?? 0) / DAY_SECONDS)),
  };
  return t(`findings.sentences.${kind}`, facts);
}

/** The part of one page in the item. */
export function pageAct(use: PageUse): string {
  const { setBy, sent } = use;
  if (setBy === null) return t(sent ? 'findings.uses.sent' : 'findings.uses.present');
  return t(sent ? 'findings.uses.setAndSent' : 'findings.uses.set', { by: setterIn(use) ?? 'none' });
}

/** Which pages set, sent or only had the item. */
function actsIn({ kind, uses, pageUrls }: FindingResponse): string {
  const where = kind === 'not_blocked_by_site' ? 'html' : 'page';
  const urls = (chosen: (use: PageUse) => boolean): string[] => uses.filter(chosen).map(({ url }) => url);
  const set = urls(({ setBy }) => setBy !== null);
  const sent = urls((use) => use.setBy === null && use.sent);
  // Findings of earlier versions say only on which pages it was seen.
  const present = uses.length === 0 ? pageUrls : urls((use) => use.setBy === null && !use.sent);
  return listOf([
    ...(set.length > 0 ? [t('findings.acts.set', { ...pagesIn(set), by: settersIn(uses) })] : []),
    ...(sent.length > 0
      ? [
          set.length > 0
            ? t('findings.acts.sentToo', { more: sent.length })
            : t('findings.acts.sent', pagesIn(sent)),
        ]
      : []),
    ...(present.length > 0
      ? [
          set.length + sent.length > 0
            ? t('findings.acts.presentToo', { where, more: present.length })
            : t('findings.acts.present', { where, ...pagesIn(present) }),
        ]
      : []),
  ]);
}

/** Hosts of what set the item, each once. */
function settersIn(uses: readonly PageUse[]): string {
  const names = [
    ...new Set(uses.filter(({ setBy }) => setBy !== null).flatMap((use) => setterIn(use) ?? [])),
  ];
  const named =
    names.length > SETTERS_MAX ? [...names.slice(0, SETTERS_MAX), t('findings.acts.others')] : names;
  return named.length > 0 ? listOf(named) : 'none';
}

function setterIn({ initiator, setBy }: PageUse): string | null {
  return initiator?.split('/')[0] ?? (setBy === 'script' ? t('findings.acts.unknownScript') : null);
}

const listOf = (parts: readonly string[]): string => new Intl.ListFormat(locale).format(parts);

function pagesIn(urls: readonly string[]): { page: string; more: number } {
  return { page: pathOf(urls[0]), more: Math.max(0, urls.length - 1) };
}

export function pathOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return url ?? '';
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
