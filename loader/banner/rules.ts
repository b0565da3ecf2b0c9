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

/** Host names that may have set a cookie which this page sees: its own, and those above. */
export function cookieDomains(hostname: string): string[] {
  const labels = hostname.split('.');
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'));
}
