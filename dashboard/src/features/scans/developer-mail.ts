import type { ScanDetailsResponse } from '../../client/types.gen';
import { t } from '../../i18n/i18n';
import { fixFor } from './fix';
import type { FindingGroup } from './finding-groups';
import { findingSentence, itemName } from './finding-sentence';

/** Mail programs cut longer addresses. */
const CHARACTERS_MAX = 1_600;

/** The address of a mail to a developer about findings, to be completed in the person's own mail program. */
export function developerMail(groups: readonly FindingGroup[], scan: ScanDetailsResponse): string {
  const [url = ''] = scan.urls;
  const host = URL.canParse(url) ? new URL(url).host : url;
  const end = t('findings.mail.end', { link: window.location.href.split('?')[0] ?? '' });
  let text = t('findings.mail.intro', { host });
  let left = groups.length;
  for (const group of groups) {
    const sentences = group.findings.map(findingSentence).join('\n');
    const part = `\n\n${itemName(group.first)}\n${sentences}\n${t(`findings.fixes.${fixFor(group)}`)}`;
    if (text.length + part.length > CHARACTERS_MAX) break;
    text += part;
    left -= 1;
  }
  if (left > 0) text += `\n\n${t('findings.mail.more', { count: left })}`;
  const query = new URLSearchParams({
    subject: t('findings.mail.subject', { host }),
    body: `${text}\n\n${end}`,
  });
  // Mail programs show a plus as such.
  return `mailto:?${query.toString().replaceAll('+', '%20')}`;
}
