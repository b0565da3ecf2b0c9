const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;

/** Named by its content: it never changes. */
export const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * The newest configuration: a minute in caches, some minutes more while a cache revalidates in the
 * background, and a week while the origin fails. The loader makes the browser revalidate each time.
 */
export const CONFIGURATION = `public, max-age=${MINUTE_SECONDS}, stale-while-revalidate=${5 * MINUTE_SECONDS}, stale-if-error=${WEEK_SECONDS}`;

/** The same for a response with the visitor's region: no shared cache may store it. */
export const CONFIGURATION_OF_VISITOR = CONFIGURATION.replace('public', 'private');

export const LOADER = `public, max-age=${60 * MINUTE_SECONDS}, stale-while-revalidate=${DAY_SECONDS}, stale-if-error=${WEEK_SECONDS}`;

/** A missing project may be created a moment later. */
export const UNKNOWN_PROJECT = `public, max-age=${MINUTE_SECONDS / 2}`;
