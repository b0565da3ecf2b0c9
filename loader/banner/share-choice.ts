/** The cookie by which a choice holds on all subdomains of a site (docs/loader.md). The loader reads it. */
import { pristineDocument } from '../pristine-document';
import type { Consent, StoredChoice } from '../site';

const NAME = 'service-consent';
/** Browsers keep no cookie longer than this. */
const DAYS_MAX = 400;
const MONTH_DAYS = 30.44;
const DAY_SECONDS = 86_400;

/** Writes the choice for the widest domain that the browser allows, where the owner has switched this on. */
export function shareChoice({ configuration, choice }: Consent): void {
  if (!configuration?.banner?.shareSubdomains || choice?.at === undefined) return;
  const { policyVersion, reconsentMonths = 12 } = configuration;
  const days = Math.min(DAYS_MAX, Math.round(reconsentMonths * MONTH_DAYS));
  write(cookieValue(choice, choice.at, policyVersion), days * DAY_SECONDS);
}

/** Deletes the cookie, with which the next page would know the choice. */
export const forgetShared = (): void => write('', 0);

/** Flags in the order analytics, marketing, preferences; seconds since 1970; the policy version. */
function cookieValue(
  { analytics, marketing, preferences }: StoredChoice,
  atMs: number,
  policyVersion: string,
): string {
  const flags = [analytics, marketing, preferences].map(Number).join('');
  return `v1.${flags}.${Math.floor(atMs / 1000)}.${encodeURIComponent(policyVersion)}`;
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
