import type { FindingDto } from '../../client/types.gen';
import { formatNumber } from '../../shared/format';
import { t } from '../../i18n/i18n';

const DAY_SECONDS = 86_400;

/** What was observed, as a sentence. Never whether it is allowed. */
export function findingSentence(finding: FindingDto): string {
  const { kind, itemKind, name, host, pageUrls, initiator, declared, lifetimeSeconds } = finding;
  const facts = {
    // Requests have no name.
    item: itemKind === 'request' ? 'request' : 'stored',
    name,
    host,
    page: pathOf(pageUrls[0]),
    more: Math.max(0, pageUrls.length - 1),
    by: initiator?.split('/')[0] ?? 'none',
    declared: declared ?? '',
    days: formatNumber(Math.round((lifetimeSeconds ?? 0) / DAY_SECONDS)),
  };
  return t(`findings.sentences.${kind}`, facts);
}

export function pathOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return url ?? '';
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}
