/** The visitor's grants on an earlier page, by the rules of the loader (loader/choice.ts). */
import { CATEGORIES } from '../mode';
import { pristineDocument } from '../pristine-document';
import { stillCounts } from '../prompt-rule';

interface StoredChoice {
  at?: number;
  prompt?: string;
  [category: string]: unknown;
}

/** The choice cookie (docs/loader.md). */
const COOKIE = /service-consent=v1.(...).(\d+).([^;]*)/;

/** Empty without a valid choice: then the loader decides, once its configuration has loaded. */
export const storedGrants = (): Set<string> => {
  const { id, policyVersion } = BLOCKING;
  let choice = storedChoice(id);
  try {
    const [, flags, seconds, version] = COOKIE.exec(pristineDocument('cookie')) as unknown as string[];
    const at = Number(seconds) * 1000;
    if (!choice || at > (choice.at as number))
      choice = {
        ...Object.fromEntries(CATEGORIES.map((category, n) => [category, flags?.[n] === '1'])),
        at,
        prompt: version === policyVersion ? '' : version,
      };
  } catch {
    // There is no cookie, or none may be read.
  }
  return new Set(
    choice && stillCounts(choice, BLOCKING)
      ? CATEGORIES.filter((category) => choice?.[category] === true)
      : [],
  );
};

const storedChoice = (id: string): StoredChoice | null => {
  try {
    return JSON.parse(localStorage.getItem(`${META_GLOBAL}:${id}:choice`) as string) as StoredChoice | null;
  } catch {
    // Nothing is stored, or storage is blocked.
    return null;
  }
};
