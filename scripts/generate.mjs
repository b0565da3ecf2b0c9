// Writes files that are derived from the code: `npm run generate` all of them, `npm run generate -- openapi` one.
import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const JEST = join('node_modules', 'jest', 'bin', 'jest.js');

/**
 * The output of each: openapi.json; the schemas of the command line's files; .env.example and the table of
 * settings; the dashboard's client; docs/scaling.md; the blocks for nginx in docs/publishing.md; the known cookies and
 * services of scans.
 */
const GENERATORS = {
  openapi: [JEST, '--selectProjects', 'unit', '--ci', join('test', 'app', 'openapi')],
  schemas: [join('scripts', 'write-schemas.mjs')],
  settings: [join('scripts', 'write-settings.mjs')],
  client: [join('scripts', 'write-client.mjs')],
  scaling: [join('scripts', 'write-scaling.mjs')],
  nginx: [join('scripts', 'write-nginx.mjs')],
  services: [join('scripts', 'write-known-services.mjs')],
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in GENERATORS));
if (unknown.length > 0) {
  console.error(
    `Unknown generator: ${unknown.join(', ')}. Generators: ${Object.keys(GENERATORS).join(', ')}.`,
  );
  process.exit(2);
}
for (const name of wanted.length > 0 ? wanted : Object.keys(GENERATORS)) {
  const { status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...GENERATORS[name]],
    {
      stdio: 'inherit',
      env: { ...process.env, UPDATE_OPENAPI: '1' },
    },
  );
  if (status !== 0) process.exit(status ?? 1);
}
