/**
 * The service's name. It stands here alone: every header, the user agent and the browser global are
 * built from it (spec §4.1, §2.6).
 */
export const BRAND = 'Service';

/** Version of the outbound request format, told in the user agent (spec §9). */
export const FORWARDER_VERSION = '1.0';

export const PROJECT_ID_HEADER = `X-${BRAND}-Project-Id`;
export const CONSENT_ID_HEADER = `X-${BRAND}-Consent-Id`;
export const FORWARDER_USER_AGENT = `${BRAND}-Consent-Forwarder/${FORWARDER_VERSION}`;
