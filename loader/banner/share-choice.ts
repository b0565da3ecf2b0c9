/** The choice cookie: for all subdomains of a site, or for a host that serves us itself. The loader reads it. */
import { pristineDocument } from '../pristine-document';
import type { Consent, StoredChoice } from '../site';

const NAME = 'service-consent';
const HOST_NAME = `__Host-${NAME}`;
/** Browsers keep no cookie longer than this. */
const DAYS_MAX = 400;
const MONTH_DAYS = 30.44;
const DAY_SECONDS = 86_400;
/** Of a value: version and flags. */
const FLAGS_END = 'v1.000'.length;

/**
 * Writes the choice for the widest domain that the browser allows, if the owner has enabled this.
 * On a host that serves us itself the service sets the cookie, which browsers keep longer; here it
 * is only replaced if it is missing.
 */
export function shareChoice({ configuration, choice }: Consent): void {
  if (!configuration || choice?.at === undefined) return;
  const { policyVersion, reconsentMonths = 12, choiceCookie, banner } = configuration;
  const days = Math.min(DAYS_MAX, Math.round(reconsentMonths * MONTH_DAYS));
  const value = cookieValue(choice, choice.at, policyVersion);
  // The service's own may differ in the seconds.
  const flags = `${NAME}=${value.slice(0, FLAGS_END)}`;
  const isWritten = BY_SERVICE ? hasServices(flags, value) : readCookies().includes(flags);
  if (choiceCookie && isWritten) return;
  if (choiceCookie === 'host') writeForHost(value, days * DAY_SECONDS);
  else if (banner?.shareSubdomains) write(value, days * DAY_SECONDS);
}

/** Deletes the cookies, so that the next page does not read the choice. */
export function forgetShared(): void {
  write('', 0);
  writeForHost('', 0);
}

/** Browsers accept it only over HTTPS. */
function writeForHost(value: string, maxAgeSeconds: number): void {
  try {
    setCookie(`${HOST_NAME}=${value};path=/;max-age=${maxAgeSeconds};samesite=lax;secure`);
  } catch {
    // A sandboxed page has no cookies.
  }
}

/** Whether there is a cookie with these flags and the services of this value. */
function hasServices(flags: string, value: string): boolean {
  const [services = ''] = /~.*/.exec(value) ?? [];
  return readCookies()
    .split(/;\s*/)
    .some((cookie) => cookie.includes(flags) && (services === '' || cookie.endsWith(services)));
}

/** Without its name and attributes: the cookie has at most 1 kB. */
const VALUE_CHARACTERS_MAX = 1000;

/**
 * Flags in the order analytics, marketing, preferences; seconds since 1970; the policy version. If only some services
 * were accepted, also their ids (src/modules/domains/domain/choice-cookie.ts).
 */
function cookieValue(
  { analytics, marketing, preferences, services }: StoredChoice,
  atMs: number,
  policyVersion: string,
): string {
  const flags = [analytics, marketing, preferences].map(Number).join('');
  const value = `.${flags}.${Math.floor(atMs / 1000)}.${encodeURIComponent(policyVersion)}`;
  return (BY_SERVICE && withServices(value, services)) || `v1${value}`;
}

/** null: the flags are enough, or the value would be too long. */
function withServices(value: string, services: Record<string, boolean> = {}): string | null {
  const ids = Object.keys(services);
  const accepted = ids.filter((id) => services[id]);
  const longer = `v2${value}~${accepted.join('.')}`;
  return accepted.length > 0 && accepted.length < ids.length && longer.length <= VALUE_CHARACTERS_MAX
    ? longer
    : null;
}

function write(value: string, maxAgeSeconds: number): void {
  const labels = location.hostname.split('.');
  const isSecure = location.protocol === 'https:';
  const attributes = `;path=/;max-age=${maxAgeSeconds};samesite=lax${isSecure ? ';secure' : ''}`;
  try {
    // Browsers refuse public suffixes, so the first domain that they accept is the site's registrable one.
    for (let from = labels.length - 1; from >= 0; from -= 1) {
      const domain = `;domain=${labels.slice(from).join('.')}`;
      setCookie(`${NAME}=${value}${attributes}${domain}`);
      if (value && hasCookie(value)) return;
    }
    setCookie(`${NAME}=${value}${attributes}`);
  } catch {
    // A sandboxed page has no cookies.
  }
}

const setCookie = (text: string): void => void Reflect.set(Document.prototype, 'cookie', text, document);
const hasCookie = (value: string): boolean => pristineDocument('cookie').includes(`${NAME}=${value}`);

function readCookies(): string {
  try {
    return pristineDocument('cookie');
  } catch {
    return '';
  }
}
