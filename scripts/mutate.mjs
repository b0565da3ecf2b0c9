// Shows what the tests notice. npm run mutate: Stryker over the pure rules, all, or of named modules (-- billing outbox).
// npm run mutate -- planted: the list of test/mutation/planted.ts, all or those whose name holds a word.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPackages } from './install-packages.mjs';

const EXTRAS = join('test', 'extras');

const [first, ...rest] = process.argv.slice(2);
const flags = ['--disable-warning=ExperimentalWarning'];
const planted = ['--import', './test/support/typescript.mjs', join('test', 'mutation', 'main.ts'), ...rest];
const stryker = [join(EXTRAS, 'node_modules', '@stryker-mutator', 'core', 'bin', 'stryker.js'), 'run'];
const modules = first === undefined ? [] : [first, ...rest];
const patterns = [
  // Stryker splits the list at commas, also within braces.
  ...modules.flatMap((name) => ['modules', 'platform'].map((place) => `src/${place}/${name}/domain/*.ts`)),
  '!src/**/*.spec.ts',
].join();
const ofModules = modules.length === 0 ? [] : ['--mutate', patterns];
if (first !== 'planted') installPackages(EXTRAS);
const { status } = spawnSync(
  process.execPath,
  [...flags, ...(first === 'planted' ? planted : [...stryker, ...ofModules])],
  { stdio: 'inherit' },
);
process.exit(status ?? 1);
