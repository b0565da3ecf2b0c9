// Imports nothing: the dashboard contains it, too.

const DAY_SECONDS = 86_400;
/** Hosts that a sentence names. */
const SETTERS_MAX = 3;

/** How a page used the item. */
interface DescribedUse {
  url: string;
  setBy: string | null;
  sent: boolean;
  initiator: string | null;
}

/** The data for a sentence about a finding. */
export interface DescribedFinding {
  kind: string;
  itemKind: string | null;
  name: string;
  host: string;
  pageUrls: readonly string[];
  uses: readonly DescribedUse[];
  initiator: string | null;
  declared: string | null;
  lifetimeSeconds: number | null;
}

/** Formats the messages of `messages/scans.*.json`. */
interface Words {
  language: string;
  translate: (key: string, values?: Record<string, string | number>) => string;
}

/** The observation; never whether it is allowed. */
export function findingSentence(finding: DescribedFinding, words: Words): string {
  const { kind, itemKind, name, host, pageUrls, initiator, declared, lifetimeSeconds } = finding;
  return words.translate(`findings.sentences.${kind}`, {
    // Requests have no name.
    item: itemKind === 'request' ? 'request' : 'stored',
    name,
    host,
    ...pagesIn(pageUrls),
    acts: actsIn(finding, words),
    by: hostIn(initiator) ?? 'none',
    declared: declared ?? '',
    days: Math.round((lifetimeSeconds ?? 0) / DAY_SECONDS),
  });
}

/** Which pages set, sent or only had the item, e.g. “set on /a by example.com and sent from 2 more pages”. */
function actsIn({ kind, uses, pageUrls }: DescribedFinding, words: Words): string {
  // Whether pages that did not send it have it in their HTML.
  const where = kind === 'not_blocked_by_site' ? 'html' : 'page';
  const urls = (chosen: (use: DescribedUse) => boolean): string[] =>
    uses.filter(chosen).map(({ url }) => url);
  const set = urls(({ setBy }) => setBy !== null);
  const sent = urls((use) => use.setBy === null && use.sent);
  // Findings of earlier versions say only on which pages it was seen.
  const present = uses.length === 0 ? pageUrls : urls((use) => use.setBy === null && !use.sent);
  const act = (name: string, pages: readonly string[], isFirst: boolean): string[] => {
    if (pages.length === 0) return [];
    const values = { where, by: settersIn(uses, words) };
    return isFirst
      ? [words.translate(`findings.acts.${name}`, { ...values, ...pagesIn(pages) })]
      : [words.translate(`findings.acts.${name}Too`, { ...values, more: pages.length })];
  };
  return listOf(words, [
    ...act('set', set, true),
    ...act('sent', sent, set.length === 0),
    ...act('present', present, set.length + sent.length === 0),
  ]);
}

/** Hosts of what set the item, each once; `none`: unknown. */
function settersIn(uses: readonly DescribedUse[], words: Words): string {
  const names = [
    ...new Set(uses.filter(({ setBy }) => setBy !== null).flatMap((use) => setterIn(use, words) ?? [])),
  ];
  if (names.length === 0) return 'none';
  const isLong = names.length > SETTERS_MAX;
  return listOf(
    words,
    isLong ? [...names.slice(0, SETTERS_MAX), words.translate('findings.acts.others')] : names,
  );
}

/** What set the item on a page. */
export function setterIn({ initiator, setBy }: DescribedUse, words: Words): string | null {
  return hostIn(initiator) ?? (setBy === 'script' ? words.translate('findings.acts.unknownScript') : null);
}

function listOf({ language }: Words, parts: readonly string[]): string {
  return new Intl.ListFormat(language).format(parts);
}

function pagesIn(urls: readonly string[]): { page: string; more: number } {
  return { page: pathOf(urls[0]), more: Math.max(0, urls.length - 1) };
}

/** The path of a page with its query. */
export function pathOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return url ?? '–';
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

function hostIn(initiator: string | null): string | null {
  return initiator?.split('/')[0] ?? null;
}
