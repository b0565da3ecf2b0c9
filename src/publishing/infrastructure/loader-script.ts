import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the build puts the loader; the same whether this file runs compiled or, in tests, as it is. */
const LOADER_FILE = join(import.meta.dirname, '..', '..', '..', 'dist', 'loader', 'loader.js');

export interface LoaderScript {
  body: string;
  etag: string;
}

let loaded: LoaderScript | null = null;

/** The loader, the same for every project: it finds its project in its own address. */
export function loaderScript(): LoaderScript {
  if (loaded) return loaded;
  if (!existsSync(LOADER_FILE)) throw new Error('The loader is not built. Run "npm run build".');
  const body = readFileSync(LOADER_FILE, 'utf8');
  loaded = { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
  return loaded;
}
