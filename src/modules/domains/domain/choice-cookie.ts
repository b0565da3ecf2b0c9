import { getDomain } from 'tldts';

/** A visitor's choice in the cookie; no identifier. */
export interface ChoiceInCookie {
  analytics: boolean;
  marketing: boolean;
  preferences: boolean;
  at: Date;
  /** The policy version that the visitor was shown; null: unknown. */
  policyVersion: string | null;
  /** Whether each service was accepted, by its id; null: the choice was not made by service. */
  services?: Record<string, boolean> | null;
}

/** The configuration's rules for the cookie. */
export interface CookieRules {
  /** Whether the choice holds on all subdomains. */
  shared: boolean;
  reconsentMonths: number;
  policyVersion: string;
}

/** The longest lifetime that browsers accept. */
const DAYS_MAX = 400;
const MONTH_DAYS = 30.44;
const DAY_SECONDS = 86_400;
const POLICY_VERSION = /^[A-Za-z0-9_.-]{1,64}$/;
const HOST_ONLY = '__Host-service-consent';
const SHARED = 'service-consent';

/**
 * The values of `Set-Cookie` that store a choice on the site's main host, and delete a cookie of
 * the other kind; `choice` null deletes both. `host` is the one that the browser requested; null:
 * unknown, so the cookie is for that host only.
 */
export function choiceCookies(
  choice: ChoiceInCookie | null,
  { rules, host }: { rules: CookieRules; host: string | null },
): string[] {
  const domain = host === null ? null : getDomain(host, { allowPrivateDomains: true });
  const hostOnly = `${HOST_ONLY}=`;
  const attributes = 'Path=/; Secure; SameSite=Lax';
  const write = (start: string, value: string, seconds: number, scope = ''): string =>
    `${start}${value}; ${attributes}; Max-Age=${seconds}${scope}`;
  const inDomain = domain === null ? '' : `; Domain=${domain}`;
  const forgetHostOnly = write(hostOnly, '', 0);
  const forgetShared = domain === null ? [] : [write(`${SHARED}=`, '', 0, inDomain)];
  if (choice === null) return [forgetHostOnly, ...forgetShared];
  const seconds = cookieSeconds(rules.reconsentMonths);
  const value = cookieValue(choice, rules.policyVersion);
  return rules.shared && domain !== null
    ? [write(`${SHARED}=`, value, seconds, inDomain), forgetHostOnly]
    : [write(hostOnly, value, seconds), ...forgetShared];
}

/** The validity of the choice, within the limit of browsers. */
export const cookieSeconds = (reconsentMonths: number): number =>
  Math.min(DAYS_MAX, Math.round(reconsentMonths * MONTH_DAYS)) * DAY_SECONDS;

/** Without its name and attributes: the cookie has at most 1 kB. */
const VALUE_CHARACTERS_MAX = 1000;

/**
 * Flags in the order analytics, marketing, preferences; seconds since 1970; the policy version. If only some services
 * were accepted, `v2` also has their ids; too many of them are left out, and so refused with their category.
 */
function cookieValue(choice: ChoiceInCookie, currentVersion: string): string {
  const value = valueOfFlags(choice, currentVersion);
  const services = Object.entries(choice.services ?? {});
  if (services.every(([, isAccepted]) => isAccepted)) return `v1${value}`;
  const accepted = services.filter(([, isAccepted]) => isAccepted).map(([id]) => id);
  const withServices = `v2${value}~${accepted.join('.')}`;
  return accepted.length > 0 && withServices.length <= VALUE_CHARACTERS_MAX ? withServices : `v1${value}`;
}

function valueOfFlags(choice: ChoiceInCookie, currentVersion: string): string {
  const flags = [choice.analytics, choice.marketing, choice.preferences].map(Number).join('');
  const asked = choice.policyVersion ?? '';
  const version = POLICY_VERSION.test(asked) ? asked : currentVersion;
  return `.${flags}.${Math.floor(choice.at.getTime() / 1000)}.${encodeURIComponent(version)}`;
}
