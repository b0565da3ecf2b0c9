import type { Page } from 'playwright-core';
import { chooseByRules } from './autoconsent.js';
import type { BeforeChoice, Choice, ChoiceResult } from './choice.js';
import { ChoiceEffect } from './choice-effect.js';
import { chooseByVendor } from './vendor-banners.js';
import { chooseByWords, reopenByWords } from './word-buttons.js';
import { chooseInOwnBanner, readOwnBanner } from './own-banner.js';

/**
 * Makes a choice in the banner of the page, and clicks only controls of consent: in our own banner, through the documented
 * API of a few others, by the rules of autoconsent, or by the words on buttons. For `withdraw` the banner is opened again.
 */
export async function makeChoice(
  page: Page,
  choice: Choice,
  beforeChoice: BeforeChoice,
): Promise<ChoiceResult> {
  const own = await readOwnBanner(page);
  if (own) return chooseInOwnBanner(page, own, { choice, beforeChoice });
  const effect = new ChoiceEffect(page);
  await effect.note();
  const beforeClick = async (): Promise<void> => {
    await beforeChoice();
    await effect.note();
  };
  const vendor = await chooseByVendor(page, choice, beforeClick);
  if (vendor !== null) return madeBy(`api:${vendor}`, await effect.shows());
  if (choice === 'withdraw') {
    if (!(await reopenByWords(page))) return { kind: 'failed', reason: 'no_withdrawal' };
    await effect.note();
  }
  // A rule does not wait before it clicks, so the page is not read again.
  const byRules = await chooseByRules(page, choice === 'accept' ? 'optIn' : 'optOut', beforeChoice);
  if (byRules.kind === 'made') return madeBy(`autoconsent:${byRules.cmp}`, await effect.shows());
  const byWords = await chooseByWords(page, choice === 'accept' ? 'accept' : 'reject', beforeClick);
  if (byWords === 'made') return madeBy('heuristic', await effect.shows());
  if (byWords === 'no_banner' && byRules.kind === 'failed') return { kind: 'failed', reason: 'click_failed' };
  return { kind: 'failed', reason: byWords };
}

/** A click that changes nothing is no choice. */
function madeBy(driver: string, hasEffect: boolean): ChoiceResult {
  return hasEffect ? { kind: 'made', driver, reason: null } : { kind: 'failed', reason: 'click_failed' };
}
