/** An ISO 3166-1 code, with its ISO 3166-2 subdivision where it was sent. */
const REGION = /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/;
/** What banners send where they do not know the region. */
const UNKNOWN = ['XX', 'ZZ'];

/** The visitor's region from a record's additional fields; null where it is missing or unknown. */
export function regionCode({ region }: Readonly<Record<string, unknown>>): string | null {
  const code = typeof region === 'string' ? region.toUpperCase() : '';
  return REGION.test(code) && !UNKNOWN.includes(code) ? code : null;
}
