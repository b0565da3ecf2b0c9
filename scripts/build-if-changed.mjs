// Builds dist/ unless it is newer than everything it is made of, so that a second start need not wait for it.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = join('dist', '.built');
const SOURCES = [
  'src',
  'loader',
  join('scripts', 'build-loader.mjs'),
  'package.json',
  'package-lock.json',
  '.swcrc',
];

/** The latest change below a path; a folder's own time tells of files that were deleted. */
function latestChangeMs(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => latestChangeMs(join(path, name))));
}

const builtMs = existsSync(STAMP) ? statSync(STAMP).mtimeMs : -Infinity;
if (SOURCES.some((path) => latestChangeMs(path) >= builtMs)) {
  const startedAt = new Date();
  execFileSync('npm', ['run', '--silent', 'build'], {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  writeFileSync(STAMP, startedAt.toISOString());
}
