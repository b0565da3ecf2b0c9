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

/** Hexadecimal digits of a hash in the name of a script or picture. */
const SHORT_HASH = 16;
/** Digits of the SHA-256 that identifies a configuration. */
const LONG_HASH = 64;

const SCRIPT = 'text/javascript; charset=utf-8';
const JSON = 'application/json; charset=utf-8';

/** A file in a project's folder of object storage. */
export interface PublishedFile {
  /** `{hash}` is replaced by the digits, `{language}` by a language tag. */
  name: string;
  hashDigits?: number;
  contentType: string;
  cacheControl: string;
}

/** Every file that a publication writes, in its order. docs/publishing.md is generated and tested with it. */
export const PUBLISHED_FILES = [
  { name: 'banner-{hash}.js', hashDigits: SHORT_HASH, contentType: SCRIPT, cacheControl: IMMUTABLE },
  { name: 'signals-{hash}.js', hashDigits: SHORT_HASH, contentType: SCRIPT, cacheControl: IMMUTABLE },
  { name: 'logo-{hash}.png', hashDigits: SHORT_HASH, contentType: 'image/png', cacheControl: IMMUTABLE },
  { name: '{hash}.json', hashDigits: LONG_HASH, contentType: JSON, cacheControl: IMMUTABLE },
  { name: 'text-{hash}-{language}.json', hashDigits: LONG_HASH, contentType: JSON, cacheControl: IMMUTABLE },
  {
    name: 'details-{hash}-{language}.json',
    hashDigits: LONG_HASH,
    contentType: JSON,
    cacheControl: IMMUTABLE,
  },
  { name: 'loader.js', contentType: SCRIPT, cacheControl: LOADER },
  { name: 'blocker.js', contentType: SCRIPT, cacheControl: CONFIGURATION },
  { name: 'declaration.js', contentType: SCRIPT, cacheControl: CONFIGURATION },
  { name: 'declaration.html', contentType: 'text/html; charset=utf-8', cacheControl: CONFIGURATION },
  { name: 'config.json', contentType: JSON, cacheControl: CONFIGURATION },
] as const satisfies PublishedFile[];

/** A regular expression for the file's names. */
export function fileNamePattern({ name, hashDigits = 0 }: PublishedFile): string {
  return name
    .replace('.', '\\.')
    .replace('{hash}', `[0-9a-f]{${hashDigits}}`)
    .replace('{language}', '[A-Za-z0-9-]+');
}

/** @throws Error for a name that is not in the list: servers would not find it. */
export function publishedFile(name: string): PublishedFile {
  const file = PUBLISHED_FILES.find((each) => new RegExp(`^${fileNamePattern(each)}$`).test(name));
  if (!file) throw new Error(`${name} is not a published file.`);
  return file;
}
