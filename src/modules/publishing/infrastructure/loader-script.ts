import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blockerData } from '../domain/blocking.js';
import { type DeclarationSource, declarations } from '../domain/declaration.js';
import type { SiteConfiguration } from '../domain/configuration.js';
import type { PageScripts } from '../domain/document.js';

/** The folder of the built loader and banner; the same for compiled files and, in tests, for sources. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'dist', 'loader');
/** Hexadecimal digits of the hash in a file name. */
const NAME_HASH_DIGITS = 16;

/** File names of what loaders run, of this build and of others. */
export const PAGE_SCRIPT_NAME = /^(banner|signals)-[0-9a-f]{16}\.js$/;

/** Published where blocking is off, so that the tag of a page finds a script. */
const BLOCKING_OFF = '/* Blocking is off. */\n';

export interface LoaderScript {
  body: string;
  etag: string;
}

export interface PageScript extends LoaderScript {
  /** `banner-<hash>.js` or `signals-<hash>.js`: it never changes under its name. */
  name: string;
}

let loader: LoaderScript | null = null;
let forPages: Record<keyof PageScripts, PageScript> | null = null;
let blocker: LoaderScript | null = null;
let declaration: LoaderScript | null = null;

/** The loader, the same for every project: it finds its project in its own address. */
export function loaderScript(): LoaderScript {
  return (loader ??= read('loader.js'));
}

/** File names of the page scripts. */
export function pageScripts(): PageScripts {
  return Object.fromEntries(
    Object.entries(scriptsForPages()).map(([key, { name }]) => [key, name]),
  ) as Record<keyof PageScripts, string>;
}

/** A script of this build by its file name; null for any other name. */
export function pageScript(name: string): PageScript | null {
  return Object.values(scriptsForPages()).find((script) => script.name === name) ?? null;
}

/** The same for every project: the loader hands them the project's configuration. */
function scriptsForPages(): Record<keyof PageScripts, PageScript> {
  if (forPages) return forPages;
  const banner = read('banner.js').body;
  const byService = read('banner-by-service.js').body;
  const signals = read('signals.js').body;
  return (forPages = {
    banner: named('banner', banner),
    // The signals wrap what the banner has put on the script element (loader/signals/signals.ts).
    bannerWithSignals: named('banner', `${banner}\n${signals}`),
    bannerByService: named('banner', byService),
    bannerByServiceWithSignals: named('banner', `${byService}\n${signals}`),
    signals: named('signals', signals),
    // A part of the banner, so it has a name of the same form, which every server in front knows.
    services: named('banner', read('services.js').body),
  });
}

function named(kind: 'banner' | 'signals', body: string): PageScript {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, NAME_HASH_DIGITS);
  return { ...withTag(body), name: `${kind}-${hash}.js` };
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
