// Builds the dashboard (dashboard/) into dashboard/ of the build (dist, or the given folder), with
// the viewer of the API reference and compressed copies of files that benefit. Reuses an earlier
// build of the same sources. `--fast` compresses in a tenth of the time, to files that are 7
// percent larger.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { latestChangeMs } from './latest-change.mjs';

const FORMER = join('dist', 'dashboard');
const OUT = join(resolve(process.argv[2] ?? 'dist'), 'dashboard');
const STAMP = '.built';
const SOURCES = [
  'dashboard',
  'messages',
  'openapi.json',
  'package-lock.json',
  join('docs', 'banners'),
  join('docs', 'first-party'),
  join('docs', 'samples'),
  join('verify', 'verify.cjs'),
  join('scripts', 'build-dashboard.mjs'),
];
const COMPRESSED = /\.(js|css|svg)$/;
/** Smaller files are as large compressed. */
const COMPRESS_BYTES_MIN = 256;
const FAST_QUALITY = 9;
/** The viewer has 5 MB: the highest quality takes 16 s and saves a tenth. */
const API_REFERENCE = /^api-reference-\w+\.js$/;
const isFast = process.argv.includes('--fast');
/** In the stamp of a build that `--fast` compressed; a complete build does not take it over. */
const FAST = 'fast';

run([join('scripts', 'write-client.mjs')]);
run([join('scripts', 'write-message-types.mjs')]);
const startedAt = new Date();
const stamp = join(FORMER, STAMP);
const builtMs = existsSync(stamp) ? statSync(stamp).mtimeMs : -Infinity;
const isTooFast = !isFast && existsSync(stamp) && readFileSync(stamp, 'utf8') === FAST;
if (isTooFast || SOURCES.some((path) => latestChangeMs(path) >= builtMs)) await build();
else if (resolve(FORMER) !== OUT) cpSync(FORMER, OUT, { recursive: true, preserveTimestamps: true });

async function build() {
  const vite = join('node_modules', 'vite', 'bin', 'vite.js');
  run([vite, 'build', 'dashboard', '--outDir', OUT, '--emptyOutDir', '--logLevel', 'warn']);
  await writeApiReference();
  await Promise.all(readdirSync(join(OUT, 'assets')).map((name) => compress(name)));
  // Files changed during the build are newer than this.
  writeFileSync(join(OUT, STAMP), isFast ? FAST : '');
  utimesSync(join(OUT, STAMP), startedAt, startedAt);
}

/**
 * Writes the viewer of `/docs`, under a name with its hash. The Fastify plugin contains the bundle of
 * @scalar/api-reference, which itself would install 284 packages. Its route returns the bundle.
 */
async function writeApiReference() {
  const { default: plugin } = await import('@scalar/fastify-api-reference');
  const routes = [];
  const fastify = { route: (route) => routes.push(route), initialConfig: {} };
  plugin(fastify, { configuration: { url: '/docs-json' } }, () => {});
  const reply = { header: () => reply, send: (body) => body };
  const script = routes.find(({ url }) => url.endsWith('.js')).handler({}, reply);
  const hash = createHash('sha256').update(script).digest('hex').slice(0, 8);
  writeFileSync(join(OUT, 'assets', `api-reference-${hash}.js`), script);
}

/** Several at once, on libuv's threads. */
async function compress(name) {
  const file = join(OUT, 'assets', name);
  const plain = readFileSync(file);
  if (!COMPRESSED.test(file) || plain.length < COMPRESS_BYTES_MIN) return;
  const quality = isFast || API_REFERENCE.test(name) ? FAST_QUALITY : constants.BROTLI_MAX_QUALITY;
  const params = { [constants.BROTLI_PARAM_QUALITY]: quality };
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(plain, { params }));
  writeFileSync(`${file}.gz`, await promisify(gzip)(plain, { level: 9 }));
}

function run(args) {
  // Always: under another NODE_ENV vite uses React's development build, which is slow and logs warnings.
  const env = { ...process.env, NODE_ENV: 'production' };
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}
