/** Projects that one worker publishes at once: four writes to S3 in flight, and four connections for locks. */
export const PUBLISH_CONCURRENCY_MAX = 4;
/** Projects that wait in a worker for their turn; the others wait in the outbox. */
export const PUBLISH_WAITING_MAX = 28;
/** Of the worker's slots at most this share is taken by publishing, so that forwarding keeps the others. */
export const PUBLISH_SLOTS_SHARE = 1 / 8;
/** Publications of a project that are kept to go back to. */
export const PUBLICATIONS_KEPT_MAX = 500;
/** A configuration as JSON in UTF-8. Each page view may load it, so it had better be small. */
export const CONFIGURATION_BYTES_MAX = 64 * 1024;
/** Publications of a project, each with a document that is kept for good. At this number saves are refused. */
export const PUBLICATIONS_MAX = 10_000;
/** Changes of tier and domains publish too and cannot be refused: at this number their documents are no longer kept. */
export const DOCUMENTS_KEPT_MAX = 2 * PUBLICATIONS_MAX;
/** Cookies of each service. */
export const COOKIES_PER_SERVICE_MAX = 30;
/**
 * A token of RFC 6265, optionally with a `*` at the end for any suffix; not only a `*`, which would
 * clear everything.
 */
export const DECLARED_COOKIE = /^[!#$%&'+\-.^_`|~A-Za-z0-9]+\*?$/;
export const DECLARED_COOKIE_CHARACTERS_MAX = 100;
/** A draft expires this many days after its last save. */
export const DRAFT_DAYS_KEPT = 90;
/** A banner's logo as a PNG file. Each page that asks for consent loads it. */
export const LOGO_BYTES_MAX = 12 * 1024;
