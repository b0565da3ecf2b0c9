/** The code of an unknown region, one that ISO 3166 leaves to its users. */
export const UNKNOWN_REGION = 'XX';

/**
 * The code in a region rule that includes all of `EU_REGIONS`. @public Loaded by scripts/build-loader.mjs.
 */
export const EU_GROUP = 'EU';

/**
 * Where the GDPR is law: the European Economic Area, with those parts of France and Finland that have their
 * own country codes. The United Kingdom and Switzerland have other laws; rules may name them.
 */
export const EU_REGIONS =
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK IS LI NO AX GF GP MF MQ RE YT';

const COUNTRY = /^[A-Z]{2}$/;
/** Codes that CDNs send for unknown countries: Cloudflare's for unknown and Tor, and continents. */
const NO_COUNTRY = new Set([UNKNOWN_REGION, 'ZZ', 'EU', 'AP', 'T1', 'A1', 'A2']);

/** The country in a CDN's header as ISO 3166-1 alpha-2 in capitals, or `XX`. Two headers at once are none. */
export function regionOf(header: string | string[] | undefined): string {
  const code = typeof header === 'string' ? header.trim().toUpperCase() : '';
  return COUNTRY.test(code) && !NO_COUNTRY.has(code) ? code : UNKNOWN_REGION;
}

const SUBDIVISION = /^[A-Z0-9]{1,3}$/;

/** The same with the part of the country that the CDN sends: ISO 3166-2, e.g. `US-CA`. */
export function subdividedRegionOf(
  country: string | string[] | undefined,
  subdivision: string | string[] | undefined,
): string {
  const region = regionOf(country);
  const part = typeof subdivision === 'string' ? subdivision.trim().toUpperCase() : '';
  return region !== UNKNOWN_REGION && SUBDIVISION.test(part) ? `${region}-${part}` : region;
}

/** Whether EU rules apply to the visitor; they do for an unknown region (design §6.6). */
export function isEu(region: string): boolean {
  return region === UNKNOWN_REGION || EU_REGIONS.split(' ').includes(region.slice(0, 2));
}
