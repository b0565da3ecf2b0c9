/** The visitor's last choice on this site, and whether it still counts. */
import { lastGood, mode } from './configuration';
import { storageKey } from './page';
import type { StoredChoice } from './site';
import { readJson } from './storage';

/** The mean month of the Gregorian calendar, to within 5 minutes. */
const MONTH_MS = 2_630_000_000;

/** The last choice, in whichever tab it was made. */
export const storedChoice = (): StoredChoice | null => readJson(storageKey('choice'));

/** What the visitor was asked; a different prompt asks again. A dismissed notice is no consent in another mode. */
export const promptFingerprint = (action?: string): string | undefined =>
  lastGood?.categories
    ?.concat(lastGood.policyVersion as never, (action === 'dismiss' ? mode() : []) as never)
    .sort()
    .join();

/** The stored choice if it still counts. What an older loader has stored has neither prompt nor time. */
export const currentChoice = (last = storedChoice()): StoredChoice | null =>
  last &&
  (!lastGood || !last.prompt || last.prompt === promptFingerprint(last.action)) &&
  // Never true without a number of months.
  !(Date.now() - (last.at as number) > (lastGood?.reconsentMonths as number) * MONTH_MS)
    ? last
    : null;
