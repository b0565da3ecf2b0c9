/** The banner's rules that need no page. */

const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|ks|ps|sd|ug|ur|yi)(-|$)/i;

export const isRightToLeft = (language: string): boolean => RIGHT_TO_LEFT.test(language);

/** The language and the script of a tag, in one of several codes: `zh-TW` is `zh`, `Hant`; `nb` is `no`, `Latn`. */
function partsOf(tag: string): [string, string?] {
  try {
    const { language, script } = new Intl.Locale(tag).maximize();
    return [language.replace(/^n[bn]$/, 'no'), script];
  } catch {
    return [tag];
  }
}

/** The text of the first wanted language that exists; a tag matches as a whole, with its script, or by its language. */
export function pickText<T extends { language: string }>(texts: T[], wanted: string[]): T | undefined {
  for (const tag of wanted) {
    const [first, script] = partsOf(tag);
    const related = texts.filter(({ language }) => partsOf(language)[0] === first);
    const found =
      related.find(({ language }) => language.toLowerCase() === tag.toLowerCase()) ??
      related.find(({ language }) => partsOf(language)[1] === script) ??
      related[0];
    if (found) return found;
  }
  return texts[0];
}

/** The services of a published document that can be listed; a malformed one is left out. */
export function readableServices<S extends { cookies: { name: string }[] }>(services: S[]): S[] {
  const isReadable = ({ cookies }: S): boolean =>
    Array.isArray(cookies) && cookies.every((cookie) => typeof cookie?.name === 'string');
  return Array.isArray(services) ? services.filter((service) => service && isReadable(service)) : [];
}

interface Translated<T> {
  translations?: (T & { language: string })[];
}

/** The translation into a language; undefined: none. */
export const translationIn = <T>(
  { translations }: Translated<T>,
  language: string,
): (T & { language: string }) | undefined =>
  Array.isArray(translations) ? translations.find((entry) => entry?.language === language) : undefined;

/** Services that are named before they are listed. */
const NAMES_MAX = 3;

/** `Matomo · 2 cookies`; empty without a service. */
export function serviceFacts(
  services: ({ name: string; cookies: object[] } & Translated<{ name?: string }>)[],
  { language, labels }: { language: string; labels: { cookieOne?: string; cookieCount?: string } },
): string {
  const names = services.map((service) => translationIn(service, language)?.name || service.name);
  const shown = [...names.slice(0, NAMES_MAX), ...(names.length > NAMES_MAX ? ['…'] : [])].join(', ');
  const count = services.reduce((sum, { cookies }) => sum + cookies.length, 0);
  // Zero is never shown, so in the languages of our labels one is the only count with a different form.
  const label = count === 1 ? labels.cookieOne : labels.cookieCount;
  return [shown, count > 0 && label?.replace('{count}', String(count))].filter(Boolean).join(' · ');
}

/**
 * Names of the cookies in `jar` (`document.cookie`) of services that are not granted; `*` matches any
 * suffix.
 */
export function withdrawnCookies<S extends { category: string; cookies: { name: string }[] }>(
  jar: string,
  services: S[],
  granted: (service: S) => boolean,
): string[] {
  const withdrawn = services
    .filter((service) => service.category !== 'necessary' && !granted(service))
    .flatMap(({ cookies }) => cookies.map(({ name }) => name));
  const isWithdrawn = (present: string): boolean =>
    withdrawn.some((name) => (name.endsWith('*') ? present.startsWith(name.slice(0, -1)) : present === name));
  return jar
    .split(/;\s*/)
    .map((pair) => pair.split('=')[0] as string)
    .filter((present) => present && isWithdrawn(present));
}

/** Most paths of a page whose cookies are deleted, which also bounds hostile addresses. */
const FOLDERS_MAX = 10;
/** Browsers accept cookies with these prefixes only with the attribute `Secure`. */
const SECURE_NAME = /^__(secure|host)-/i;

/**
 * The values of `document.cookie` that delete a cookie: one for each domain and path that it may have, since scripts see
 * neither. `{ hostname, pathname }` is the page.
 */
export function cookieDeletions(
  name: string,
  { hostname, pathname }: { hostname: string; pathname: string },
): string[] {
  const labels = hostname.split('.');
  const domains = labels.slice(0, -1).map((_, at) => `;domain=${labels.slice(at).join('.')}`);
  const folders = pathname.split('/').filter(Boolean).slice(0, FOLDERS_MAX);
  const paths = folders.flatMap((_, at) => {
    const path = `/${folders.slice(0, at + 1).join('/')}`;
    // With a trailing slash it is a different path.
    return [path, `${path}/`];
  });
  const attributes = `;max-age=0${SECURE_NAME.test(name) ? ';secure' : ''}`;
  return ['/', ...paths].flatMap((path) =>
    ['', ...domains].map((domain) => `${name}=;path=${path}${attributes}${domain}`),
  );
}
