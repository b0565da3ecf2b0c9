// Filled in by the build (scripts/build-loader.mjs) from the service's own constants, so that they cannot disagree.

/** `serviceMeta` and `serviceConsent`. */
declare const META_GLOBAL: string;
declare const CONSENT_GLOBAL: string;
declare const REGION_HEADER: string;
/** Country codes, separated by blanks. */
declare const EU_REGIONS: string;
declare const UNKNOWN_REGION: string;
declare const EU_GROUP: string;
/** Host name suffixes, separated by blanks (design §6.2). */
declare const STAGING_SUFFIXES: string;
declare const FREE_SUFFIXES: string;
