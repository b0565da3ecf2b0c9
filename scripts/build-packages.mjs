// Builds the npm packages under packages/ into their dist/: the API client is generated from openapi.json, TypeScript is
// compiled, and the types of the loader's globals are copied from loader/, where they are maintained.
// `npm run build:packages`; `npm pack` runs it too. An argument names one package.
import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { buildSync } from 'esbuild';
import { takeBuildLock } from './build-lock.mjs';

/** In the order of their dependencies. */
const PACKAGES = ['consent-client', 'consent-react', 'cli'];
const GLOBALS = join('loader', 'service-consent.d.ts');

process.chdir(resolve(import.meta.dirname, '..'));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !PACKAGES.includes(name));
if (unknown.length > 0) fail(`Unknown package: ${unknown.join(', ')}. Packages: ${PACKAGES.join(', ')}.`);
takeBuildLock();
for (const name of wanted.length > 0 ? wanted : PACKAGES) build(join('packages', name), name);

function build(folder, name) {
  const out = join(folder, 'dist');
  if (name === 'consent-client') generateClient(folder);
  rmSync(out, { recursive: true, force: true });
  run(join('node_modules', 'typescript', 'bin', 'tsc'), '-p', folder);
  if (name === 'consent-client') addGlobals(out);
  if (name === 'cli') bundleCli(folder, out);
}

/** Generates the typed client of the API. */
function generateClient(folder) {
  const generator = join('node_modules', '@hey-api', 'openapi-ts', 'bin', 'run.js');
  const configuration = join(folder, 'openapi-ts.config.ts');
  run(generator, '-i', 'openapi.json', '-o', join(folder, 'src', 'api'), '-f', configuration, '--silent');
}

/** The compiled types refer to the globals, which are declared in a separate file. */
function addGlobals(out) {
  copyFileSync(GLOBALS, join(out, 'globals.d.ts'));
  for (const file of ['browser.d.ts', 'grants.d.ts']) {
    const path = join(out, file);
    writeFileSync(path, `/// <reference path="./globals.d.ts" />\n${readFileSync(path, 'utf8')}`);
  }
}

/**
 * One file with our own client inside, since a global installation looks for every dependency in the registry; beside
 * it the schemas of its files, and the program that checks proofs.
 */
function bundleCli(folder, out) {
  const main = join(out, 'main.js');
  buildSync({
    absWorkingDir: process.cwd(),
    entryPoints: [join(folder, 'src', 'main.ts')],
    outfile: main,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    external: ['ajv', 'ajv-formats', 'commander'],
  });
  chmodSync(main, 0o755);
  cpSync(join('docs', 'schemas'), join(out, 'schemas'), { recursive: true });
  copyFileSync(join('verify', 'verify.cjs'), join(out, 'verify.cjs'));
}

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) fail(`${args[0]} failed:\n${stdout}${stderr}`);
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
