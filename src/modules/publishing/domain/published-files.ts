import { CONFIGURATION, IMMUTABLE, LOADER } from './cache-control.js';

/** Hexadecimal digits of a hash in the name of a script or picture. */
const SHORT_HASH = 16;
/** Digits of the SHA-256 that identifies a configuration. */
const LONG_HASH = 64;

const SCRIPT = 'text/javascript; charset=utf-8';
const JSON = 'application/json; charset=utf-8';

/** A file in a project's folder of object storage. */
export interface PublishedFile {
  /** `{hash}` is replaced by the digits. */
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
  { name: 'loader.js', contentType: SCRIPT, cacheControl: LOADER },
  { name: 'blocker.js', contentType: SCRIPT, cacheControl: CONFIGURATION },
  { name: 'declaration.js', contentType: SCRIPT, cacheControl: CONFIGURATION },
  { name: 'declaration.html', contentType: 'text/html; charset=utf-8', cacheControl: CONFIGURATION },
  { name: 'config.json', contentType: JSON, cacheControl: CONFIGURATION },
] as const satisfies PublishedFile[];

/** A regular expression for the file's names. */
export function fileNamePattern({ name, hashDigits = 0 }: PublishedFile): string {
  return name.replace('.', '\\.').replace('{hash}', `[0-9a-f]{${hashDigits}}`);
}

/** @throws Error for a name that is not in the list: servers would not find it. */
export function publishedFile(name: string): PublishedFile {
  const file = PUBLISHED_FILES.find((each) => new RegExp(`^${fileNamePattern(each)}$`).test(name));
  if (!file) throw new Error(`${name} is not a published file.`);
  return file;
}
