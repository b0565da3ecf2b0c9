import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The latest change below a path; a folder's own time tells of files that were deleted. */
export function latestChangeMs(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => latestChangeMs(join(path, name))));
}
