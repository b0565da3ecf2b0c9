import * as sentences from '../../../../src/modules/scans/domain/finding-sentence';
import type { FindingResponse } from '../../client/types.gen';
import { locale, t } from '../../i18n/i18n';
import { showHidden } from '../../i18n/show-hidden';

export { pathOf } from '../../../../src/modules/scans/domain/finding-sentence';

export type PageUse = FindingResponse['uses'][number];

const words = () => ({
  language: locale,
  translate: t as unknown as (key: string, values?: object) => string,
});

/** The observation as a sentence; never whether it is allowed. */
export const findingSentence = (finding: FindingResponse): string =>
  sentences.findingSentence(finding, words());

/** The part of one page in the item. */
export function pageAct(use: PageUse): string {
  const { setBy, sent } = use;
  if (setBy === null) return t(sent ? 'findings.uses.sent' : 'findings.uses.present');
  const by = sentences.setterIn(use, words()) ?? 'none';
  return t(sent ? 'findings.uses.setAndSent' : 'findings.uses.set', { by });
}

/** The name of a finding's subject in lists. */
export function itemName({ kind, itemKind, name, host }: FindingResponse): string {
  if (kind === 'banner_missing' || kind === 'loader_missing') return t(`findings.subjects.${kind}`);
  if (itemKind === 'fingerprint') return t('findings.subjects.fingerprint', { name });
  return showHidden(name === '' ? host : name);
}

/** The service, or the site, to which an item belongs. */
export function itemOrigin({ service, host, name }: FindingResponse): string {
  return service ?? (name === '' && host !== '' ? t('cookies.kinds.request') : host);
}
