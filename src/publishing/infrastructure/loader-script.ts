import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockerData } from '../domain/blocking.js';
import { type DeclarationSource, declarations } from '../domain/declaration.js';
import type { SiteConfiguration } from '../domain/configuration.js';

/** Where the build puts loader and banner; the same whether this file runs compiled or, in tests, as it is. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', 'dist', 'loader');
/** Hexadecimal digits of the hash in a banner's file name. */
const NAME_HASH_DIGITS = 16;

/** File names of banners, of this build and of others. */
export const BANNER_NAME = /^banner-[0-9a-f]{16}\.js$/;

/** Published where blocking is off, so that the tag of a page finds a script. */
const BLOCKING_OFF = '/* Blocking is off. */\n';

export interface LoaderScript {
  body: string;
  etag: string;
}

export interface BannerScript extends LoaderScript {
  /** `banner-<hash>.js`: it never changes under its name. */
  name: string;
}

let loader: LoaderScript | null = null;
let banner: BannerScript | null = null;
let blocker: LoaderScript | null = null;
let declaration: LoaderScript | null = null;

/** The loader, the same for every project: it finds its project in its own address. */
export function loaderScript(): LoaderScript {
  return (loader ??= read('loader.js'));
}

/** Our banner, the same for every project: the loader hands it the project's configuration. */
export function bannerScript(): BannerScript {
  if (banner) return banner;
  const script = read('banner.js');
  const hash = createHash('sha256').update(script.body).digest('hex').slice(0, NAME_HASH_DIGITS);
  return (banner = { ...script, name: `banner-${hash}.js` });
}

/** The blocker with a configuration's rules. */
export function blockerScript(projectId: string, configuration: SiteConfiguration): string {
  const data = blockerData(projectId, configuration);
  blocker ??= read('blocker.js');
  return data === null ? BLOCKING_OFF : `{const BLOCKING=${JSON.stringify(data)};${blocker.body}}\n`;
}

/** The embeddable declaration with a document's services. */
export function declarationScript(source: DeclarationSource): string {
  declaration ??= read('declaration.js');
  return `{const DECLARATIONS=${JSON.stringify(declarations(source))};${declaration.body}}\n`;
}

function read(name: string): LoaderScript {
  const file = join(FOLDER, name);
  if (!existsSync(file)) throw new Error('The loader is not built. Run "npm run build".');
  const body = readFileSync(file, 'utf8');
  return withTag(body);
}

/** A script with its entity tag. */
export function withTag(body: string): LoaderScript {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
}
