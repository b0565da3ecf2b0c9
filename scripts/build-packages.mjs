// Builds the npm packages under packages/ into their dist/: the API client is generated from openapi.json, TypeScript is
// compiled, and the types of the loader's globals are copied from loader/, where they are maintained.
// `npm run build:packages`; `npm pack` runs it too. An argument names one package.
import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { takeBuildLock } from './build-lock.mjs';

/** In the order of their dependencies. */
const PACKAGES = ['consent-client', 'consent-react'];
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

function run(...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) fail(`${args[0]} failed:\n${stdout}${stderr}`);
}

function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
