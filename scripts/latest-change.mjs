import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Written by builds, from files that are sources themselves. */
const isGenerated = (path) => path === join('dashboard', 'src', 'client') || path.endsWith('.d.json.ts');

/** The latest change below a path; a folder's own time covers deleted files. */
export function latestChangeMs(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...sourcesIn(path).map((child) => latestChangeMs(child)));
}

/** SHA-256 of the files below the paths, with their names. */
export function contentHash(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    if (statSync(path).isDirectory()) for (const child of sourcesIn(path)) add(child);
    else hash.update(`${path}\n${statSync(path).size}\n`).update(readFileSync(path));
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}

function sourcesIn(folder) {
  return readdirSync(folder)
    .toSorted()
    .map((name) => join(folder, name))
    .filter((path) => !isGenerated(path));
}
