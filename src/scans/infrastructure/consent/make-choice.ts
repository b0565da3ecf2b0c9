import type { Page } from 'playwright-core';
import { chooseByRules } from './autoconsent.js';
import type { BeforeChoice, Choice, ChoiceResult } from './choice.js';
import { chooseByWords, reopenByWords } from './word-buttons.js';
import { chooseInOwnBanner, readOwnBanner } from './own-banner.js';

/**
 * Makes a choice in the banner of the page, with clicks on controls of consent alone: in our own banner, by the rules of
 * autoconsent, or by the words on buttons. For `withdraw` the banner is opened again first.
 */
export async function makeChoice(
  page: Page,
  choice: Choice,
  beforeChoice: BeforeChoice,
): Promise<ChoiceResult> {
  const own = await readOwnBanner(page);
  if (own) return chooseInOwnBanner(page, own, { choice, beforeChoice });
  if (choice === 'withdraw' && !(await reopenByWords(page)))
    return { kind: 'failed', reason: 'no_withdrawal' };
  const byRules = await chooseByRules(page, choice === 'accept' ? 'optIn' : 'optOut', beforeChoice);
  if (byRules.kind === 'made') return { kind: 'made', driver: `autoconsent:${byRules.cmp}`, reason: null };
  const byWords = await chooseByWords(page, choice === 'accept' ? 'accept' : 'reject', beforeChoice);
  if (byWords === 'made') return { kind: 'made', driver: 'heuristic', reason: null };
  if (byWords === 'no_banner' && byRules.kind === 'failed') return { kind: 'failed', reason: 'click_failed' };
  return { kind: 'failed', reason: byWords };
}
