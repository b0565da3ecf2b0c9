/** The visitor's last choice on this site, and whether it still counts. */
import { lastGood, mode } from './configuration';
import { CATEGORIES, type Choice } from './google-consent';
import { storageKey } from './page';
import { pristineDocument } from './pristine-document';
import type { StoredChoice } from './site';
import { readJson } from './storage';

/** The mean month of the Gregorian calendar, to within 5 minutes. */
const MONTH_MS = 2_630_000_000;

/** The choice cookie (docs/loader.md): a flag for each category, seconds since 1970, policy version. */
const COOKIE = /service-consent=v1.(...).(\d+).([^;]*)/;

/** The last choice, in whichever tab it was made; or on another subdomain, where it is shared. */
export const storedChoice = (): StoredChoice | null => {
  const stored = readJson<StoredChoice>(storageKey('choice'));
  try {
    const [, flags, seconds, policy] = COOKIE.exec(pristineDocument('cookie')) as unknown as string[];
    const at = (seconds as never) * 1000;
    // That of the stored choice was written in the same second.
    if (!stored || at > (stored.at as number))
      return {
        ...(Object.fromEntries(
          CATEGORIES.map((category, n) => [category, (flags as string)[n] === '1']),
        ) as never as Choice),
        at,
        // Another policy version is never the fingerprint of a prompt.
        prompt: policy === lastGood?.policyVersion ? '' : policy,
      };
  } catch {
    // There is no cookie, or none may be read.
  }
  return stored;
};

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
