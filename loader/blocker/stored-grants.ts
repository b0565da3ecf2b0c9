/** The visitor's grants on an earlier page, by the rules of the loader (loader/choice.ts). */
import { CATEGORIES } from '../mode';
import { pristineDocument } from '../pristine-document';
import { stillCounts } from '../prompt-rule';
import { grantedServices } from '../service-grants';

interface StoredChoice {
  at?: number;
  prompt?: string | undefined;
  services?: Record<string, unknown> | undefined;
  [category: string]: unknown;
}

/** The choice cookie (docs/loader.md). */
const COOKIE = /service-consent=v..(...).(\d+).([^;~]*)~?([^;]*)/;

/**
 * Categories, and services where visitors choose them. Empty without a valid choice: then the loader decides, once its
 * configuration has loaded.
 */
export const storedGrants = (): Set<string> => {
  const choice = validChoice();
  return withServices(
    CATEGORIES.filter((category) => choice?.[category] === true),
    choice,
  );
};

/** The granted categories, and the services that the stored choice, or else its category, grants. */
export const withServices = (categories: string[], choice = validChoice()): Set<string> => {
  const grants = grantedServices(
    { ...choice, ...Object.fromEntries(categories.map((category) => [category, true])) },
    BLOCKING.services ?? [],
  );
  return new Set(categories.concat(Object.keys(grants).filter((id) => grants[id])));
};

const validChoice = (): StoredChoice | null => {
  const { id, policyVersion } = BLOCKING;
  let choice = storedChoice(id);
  try {
    const [, flags, seconds, version, ids] = COOKIE.exec(pristineDocument('cookie')) as unknown as string[];
    const at = Number(seconds) * 1000;
    if (!choice || at > (choice.at as number))
      choice = {
        ...Object.fromEntries(CATEGORIES.map((category, n) => [category, flags?.[n] === '1'])),
        at,
        prompt: version === policyVersion ? '' : version,
        services: ids ? Object.fromEntries(ids.split('.').map((service) => [service, true])) : undefined,
      };
  } catch {
    // There is no cookie, or none may be read.
  }
  return choice && stillCounts(choice, BLOCKING) ? choice : null;
};

const storedChoice = (id: string): StoredChoice | null => {
  try {
    return JSON.parse(localStorage.getItem(`${META_GLOBAL}:${id}:choice`) as string) as StoredChoice | null;
  } catch {
    // Nothing is stored, or storage is blocked.
    return null;
  }
};
