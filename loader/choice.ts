/** The visitor's last choice on this site, and whether it still counts. */
import { isSignaled, lastGood, mode } from './configuration';
import { byCategory } from './mode';
import { storageKey } from './page';
import { pristineDocument } from './pristine-document';
import { stillCounts } from './prompt-rule';
import type { StoredChoice } from './site';
import { readJson } from './storage';

/**
 * The choice cookie (docs/first-party.md): a flag for each category, seconds since 1970, policy version. Our banner
 * reads the services of `v2`.
 */
const COOKIE = /service-consent=...(...).(\d+).([^;~]*)/;

/** The latest choice, in any tab; or on another subdomain, if it is shared. */
export const storedChoice = (): StoredChoice | null => {
  const stored = readJson<StoredChoice>(storageKey('choice'));
  try {
    const [, flags, seconds, policy] = COOKIE.exec(pristineDocument('cookie')) as unknown as string[];
    const at = (seconds as never) * 1000;
    // That of the stored choice was written in the same second.
    if (!stored || at > (stored.at as number))
      return {
        ...byCategory((_, n) => ((flags as string)[n] as never) > 0),
        at,
        // Another policy version is never the fingerprint of a prompt.
        prompt: policy === lastGood?.policyVersion ? '' : policy,
      };
  } catch {
    // There is no cookie, or none may be read.
  }
  return stored;
};

/** Identifies the prompt that the visitor was shown. */
export const promptFingerprint = (): string | null =>
  lastGood &&
  (lastGood.categories as string[]).concat(lastGood.serviceIds ?? [], lastGood.policyVersion).join();

/** The stored choice if it still counts. A dismissed notice is no consent where consent is required. */
export const currentChoice = (last = storedChoice()): StoredChoice | null =>
  last &&
  (!lastGood || stillCounts(last, lastGood)) &&
  // `notice` and `none` come first among the modes.
  !(last.action === 'dismiss' && (mode() > 'o' || isSignaled()))
    ? last
    : null;
