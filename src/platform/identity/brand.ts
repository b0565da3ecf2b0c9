/**
 * The service's name, defined only here: every header, the user agent and the browser global are
 * built from it (spec §4.1, §2.6).
 */
export const BRAND = 'Service';

/** Version of the outbound request format, part of the user agent (spec §9). */
const FORWARDER_VERSION = '1.0';

export const PROJECT_ID_HEADER = `X-${BRAND}-Project-Id`;
export const CONSENT_ID_HEADER = `X-${BRAND}-Consent-Id`;
export const EVENTS_USER_AGENT = `${BRAND}-Events/${FORWARDER_VERSION}`;
export const FORWARDER_USER_AGENT = `${BRAND}-Consent-Forwarder/${FORWARDER_VERSION}`;

/** Browser global that the loader sets (spec §2.6). @public Loaded by scripts/build-loader.mjs. */
export const META_GLOBAL = `${BRAND.toLowerCase()}Meta`;
/** Browser global that the loader sets (spec §2.6). @public Loaded by scripts/build-loader.mjs. */
export const CONSENT_GLOBAL = `${BRAND.toLowerCase()}Consent`;
/** The response header with which an edge may send the loader the visitor's country. */
export const REGION_HEADER = `X-${BRAND}-Region`;

/** The product's mark, drawn by the dashboard, the pricing page, and PDFs: a rounded square with a check. */
export const MARK = {
  /** Side of the square. */
  size: 32,
  radius: 8,
  color: '#3d5afe',
  checkColor: '#fff',
  check: 'M9 16.5l5 5 9-11',
  checkWidth: 3.5,
} as const;
