import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The latest change below a path; a folder's own time covers deleted files. */
export function latestChangeMs(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => latestChangeMs(join(path, name))));
}

/** SHA-256 of the files below the paths, with their names. */
export function contentHash(paths) {
  const hash = createHash('sha256');
  const add = (path) => {
    if (statSync(path).isDirectory()) for (const name of readdirSync(path).toSorted()) add(join(path, name));
    else hash.update(`${path}\n${statSync(path).size}\n`).update(readFileSync(path));
  };
  for (const path of paths) add(path);
  return hash.digest('hex');
}
