// Builds the dashboard (dashboard/) into dashboard/ of the build (dist, or the folder named), each file that is worth
// it compressed beside itself. One that was built before from the same sources is taken over as it is.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { latestChangeMs } from './latest-change.mjs';

const FORMER = join('dist', 'dashboard');
const OUT = join(resolve(process.argv[2] ?? 'dist'), 'dashboard');
const STAMP = '.built';
const SOURCES = [
  'dashboard',
  'openapi.json',
  'package-lock.json',
  join('docs', 'banners'),
  join('docs', 'receiver.md'),
  join('verify', 'verify.cjs'),
  join('scripts', 'build-dashboard.mjs'),
];
const COMPRESSED = /\.(js|css|svg)$/;
/** Smaller files are as large compressed. */
const COMPRESS_BYTES_MIN = 256;

run([join('scripts', 'write-client.mjs')]);
run([join('scripts', 'write-message-types.mjs')]);
const startedAt = new Date();
const stamp = join(FORMER, STAMP);
const builtMs = existsSync(stamp) ? statSync(stamp).mtimeMs : -Infinity;
if (SOURCES.some((path) => latestChangeMs(path) >= builtMs)) build();
else if (resolve(FORMER) !== OUT) cpSync(FORMER, OUT, { recursive: true, preserveTimestamps: true });

function build() {
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  run([vite, 'build', 'dashboard', '--outDir', OUT, '--emptyOutDir', '--logLevel', 'warn']);
  for (const name of readdirSync(join(OUT, 'assets'))) compress(join(OUT, 'assets', name));
  // What was changed while it was built is newer than this.
  writeFileSync(join(OUT, STAMP), '');
  utimesSync(join(OUT, STAMP), startedAt, startedAt);
}

function compress(file) {
  const plain = readFileSync(file);
  if (!COMPRESSED.test(file) || plain.length < COMPRESS_BYTES_MIN) return;
  writeFileSync(`${file}.br`, brotliCompressSync(plain));
  writeFileSync(`${file}.gz`, gzipSync(plain, { level: 9 }));
}

function run(args) {
  // Always: under another NODE_ENV vite uses React's development build, which is slow and logs warnings.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
