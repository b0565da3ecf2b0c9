import * as sentences from '../../../../src/modules/scans/domain/finding-sentence';
import type { FindingResponse } from '../../client/types.gen';
import { locale, t } from '../../i18n/i18n';

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
