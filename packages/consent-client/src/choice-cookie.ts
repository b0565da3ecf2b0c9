/** A visitor's choice as stored in the cookie. It contains no identifier. */
export interface CookieChoice {
  readonly analytics: boolean;
  readonly marketing: boolean;
  readonly preferences: boolean;
  /** When the visitor chose. */
  readonly chosenAt: Date;
  /** The policy version that the visitor was shown. */
  readonly policyVersion: string;
  /**
   * The services that the visitor accepted, by their ids, where only some of a category were. For any other service,
   * the flag of its category applies.
   */
  readonly services: Readonly<Record<string, boolean>>;
}

/**
 * Names of the cookie, the preferred one first: only the site's own host can set a `__Host-` cookie
 * over HTTPS, while any of its subdomains can set the other one.
 */
export const CHOICE_COOKIES = ['__Host-service-consent', 'service-consent'] as const;

/** Longer header lines are not searched; browsers send about 180 cookies of 4 KiB at most, servers accept far less. */
const HEADER_CHARACTERS_MAX = 64 * 1024;
const VALUE_CHARACTERS_MAX = 1000;
/**
 * `v1.`, a flag for each category, the time in seconds, and the policy version, which may contain dots. `v2` also has
 * ids of services.
 */
const VALUE =
  /^(?:v1(?!.*~)|v2(?=.*~))\.([01])([01])([01])\.(\d{1,10})\.([\w.%-]{1,192})(?:~([a-z0-9.-]+))?$/;
const SERVICE_ID = /^[a-z][a-z0-9-]{0,39}$/;
const POLICY_VERSION = /^[\w.-]{1,64}$/;

/**
 * Reads the visitor's choice from the `Cookie` header of a request. Returns null without a choice:
 * no cookie, a malformed one, or two of the same name that differ. The choice is sent by the
 * visitor's browser. Use it to render a page, not to prove consent: the record does that.
 */
export function readChoice(cookieHeader: string | null | undefined): CookieChoice | null {
  if (typeof cookieHeader !== 'string' || cookieHeader.length > HEADER_CHARACTERS_MAX) return null;
  const cookies = cookieHeader.split(';').map((pair) => pair.trim());
  for (const name of CHOICE_COOKIES) {
    const own = cookies.filter((pair) => pair.startsWith(`${name}=`));
    const [first] = own;
    if (first === undefined) continue;
    return own.every((pair) => pair === first) ? parseChoice(first.slice(name.length + 1)) : null;
  }
  return null;
}

/**
 * Parses the value of the cookie, e.g. `v1.101.1764000000.2026-01` or `v2.001.1764000000.2026-01~matomo`. Returns null if it is invalid.
 */
export function parseChoice(value: string): CookieChoice | null {
  if (typeof value !== 'string' || value.length > VALUE_CHARACTERS_MAX) return null;
  const [, analytics, marketing, preferences, seconds, encoded, ids] = VALUE.exec(value) ?? [];
  const policyVersion = decode(encoded);
  if (policyVersion === null || !POLICY_VERSION.test(policyVersion)) return null;
  const accepted = ids?.split('.') ?? [];
  if (!accepted.every((id) => SERVICE_ID.test(id))) return null;
  return {
    analytics: analytics === '1',
    marketing: marketing === '1',
    preferences: preferences === '1',
    chosenAt: new Date(Number(seconds) * 1000),
    policyVersion,
    services: Object.fromEntries(accepted.map((id) => [id, true])),
  };
}

function decode(encoded: string | undefined): string | null {
  if (encoded === undefined) return null;
  try {
    return decodeURIComponent(encoded);
  } catch {
    return null;
  }
}
