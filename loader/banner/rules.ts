/** What the banner decides without a page. */

const RIGHT_TO_LEFT = /^(ar|arc|ckb|dv|fa|he|ks|ps|sd|ug|ur|yi)(-|$)/i;

export const isRightToLeft = (language: string): boolean => RIGHT_TO_LEFT.test(language);

/** The words of the first language that is wanted; a tag matches whole, or else by its first part. */
export function pickText<T extends { language: string }>(texts: T[], wanted: string[]): T | undefined {
  const first = (tag: string): string | undefined => tag.toLowerCase().split('-')[0];
  for (const tag of wanted) {
    const found =
      texts.find(({ language }) => language.toLowerCase() === tag.toLowerCase()) ??
      texts.find(({ language }) => first(language) === first(tag));
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

/** Names of the cookies in `jar` (`document.cookie`) of services whose category is not granted; `*` is any rest. */
export function withdrawnCookies<C extends string>(
  jar: string,
  services: { category: C; cookies: { name: string }[] }[],
  granted: (category: C) => boolean,
): string[] {
  const withdrawn = services
    .filter(({ category }) => category !== 'necessary' && !granted(category))
    .flatMap(({ cookies }) => cookies.map(({ name }) => name));
  const isWithdrawn = (present: string): boolean =>
    withdrawn.some((name) => (name.endsWith('*') ? present.startsWith(name.slice(0, -1)) : present === name));
  return jar
    .split(/;\s*/)
    .map((pair) => pair.split('=')[0] as string)
    .filter((present) => present && isWithdrawn(present));
}

/** Folders of a page of which cookies are looked for: more than an address has, but for one that means harm. */
const FOLDERS_MAX = 10;
/** Cookies of such names are taken, and ended, with this attribute alone. */
const SECURE_NAME = /^__(secure|host)-/i;

/**
 * What ends a cookie, as `document.cookie` takes it: once for each domain and path that it may have, as a script sees
 * neither. `{ hostname, pathname }` is the page.
 */
export function cookieEnds(
  name: string,
  { hostname, pathname }: { hostname: string; pathname: string },
): string[] {
  const labels = hostname.split('.');
  const domains = labels.slice(0, -1).map((_, at) => `;domain=${labels.slice(at).join('.')}`);
  const folders = pathname.split('/').filter(Boolean).slice(0, FOLDERS_MAX);
  const paths = folders.flatMap((_, at) => {
    const path = `/${folders.slice(0, at + 1).join('/')}`;
    // With the stroke at its end it is another path.
    return [path, `${path}/`];
  });
  const attributes = `;max-age=0${SECURE_NAME.test(name) ? ';secure' : ''}`;
  return ['/', ...paths].flatMap((path) =>
    ['', ...domains].map((domain) => `${name}=;path=${path}${attributes}${domain}`),
  );
}
