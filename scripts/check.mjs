// Static checks: `npm run check` runs all of them, `npm run check -- lint words` the named ones. Every check runs even
// where an earlier one fails, so that one run shows everything that is left to fix.
import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installPackages } from './install-packages.mjs';

const TOOLS = join('scripts', 'tools');
const LINTED = ['src', 'loader', 'dashboard', 'packages', 'test', 'bench', 'scripts'];

/** The command lines of each check. */
const CHECKS = {
  types: [
    [join('scripts', 'write-message-types.mjs')],
    bin('typescript', 'bin/tsc', '--noEmit', '-p', 'tsconfig.json'),
    bin('typescript', 'bin/tsc', '-p', 'loader'),
    [join('scripts', 'write-client.mjs')],
    bin('typescript', 'bin/tsc', '-p', 'dashboard'),
    // Compiles the packages, which their examples import.
    [join('scripts', 'build-packages.mjs')],
    bin('typescript', 'bin/tsc', '-p', 'packages/consent-client/example'),
    bin('typescript', 'bin/tsc', '-p', 'packages/consent-react/example'),
  ],
  lint: [tool('oxlint', 'bin/oxlint', '--deny-warnings', ...LINTED)],
  format: [tool('prettier', 'bin/prettier.cjs', '--check', '.')],
  imports: [
    tool('dependency-cruiser', 'bin/dependency-cruiser.mjs', '--config', '.dependency-cruiser.cjs', 'src'),
    tool(
      'dependency-cruiser',
      'bin/dependency-cruiser.mjs',
      '--config',
      join('loader', '.dependency-cruiser.cjs'),
      'loader',
    ),
    tool(
      'dependency-cruiser',
      'bin/dependency-cruiser.mjs',
      '--config',
      join('dashboard', '.dependency-cruiser.cjs'),
      join('dashboard', 'src'),
    ),
  ],
  contract: [
    tool(
      '@redocly/cli',
      'bin/cli.js',
      'lint',
      'openapi.json',
      '--config',
      'redocly.yaml',
      '--format',
      'stylish',
    ),
  ],
  unused: [
    [
      join(TOOLS, 'node_modules', 'knip', 'bin', 'knip.js'),
      '--no-progress',
      '--treat-config-hints-as-errors',
    ],
  ],
  words: [[join('scripts', 'check-words.mjs')]],
  'loader-size': [[join('scripts', 'check-loader-size.mjs')]],
  'dashboard-size': [[join('scripts', 'check-dashboard-size.mjs')]],
};

/** `npm run format`. */
const FIXES = [
  tool('oxlint', 'bin/oxlint', '--fix', ...LINTED),
  tool('prettier', 'bin/prettier.cjs', '--write', '.'),
];

const wanted = process.argv.slice(2);
if (wanted.includes('--fix')) {
  installPackages(TOOLS);
  process.exit(Math.max(...FIXES.map(run)));
}
const unknown = wanted.filter((name) => !(name in CHECKS));
if (unknown.length > 0) {
  console.error(`Unknown check: ${unknown.join(', ')}. Checks: ${Object.keys(CHECKS).join(', ')}.`);
  process.exit(2);
}
const failed = (wanted.length > 0 ? wanted : Object.keys(CHECKS)).filter((name) => !passes(name));
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exit(1);
}

function passes(name) {
  console.log(`\n== ${name}`);
  if (CHECKS[name].some(([program]) => program.startsWith(TOOLS))) installPackages(TOOLS);
  return CHECKS[name].every((args) => run(args) === 0);
}

function run(args) {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  return spawnSync(process.execPath, args, { stdio: 'inherit', env }).status;
}

/** The command line of a program in scripts/tools. */
function tool(name, program, ...args) {
  const [path, ...rest] = bin(name, program, ...args);
  return [join(TOOLS, path), ...rest];
}

/** The command line of a package's program. */
function bin(name, program, ...args) {
  return [join('node_modules', ...name.split('/'), ...program.split('/')), ...args];
}
