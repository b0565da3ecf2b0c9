// Sends requests made of the OpenAPI document to the built service: npm run fuzz -- --requests 100000 --seed 7.
// The run is test/fuzz; `.ci/run` does it with few requests and always the same ones.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const REQUESTS_DEFAULT = 100_000;
const REQUESTS_MAX = 1_000_000;

const { values } = parseArgs({ options: { requests: { type: 'string' }, seed: { type: 'string' } } });
const requests = Number(values.requests ?? REQUESTS_DEFAULT);
if (!Number.isInteger(requests) || requests < 1 || requests > REQUESTS_MAX) {
  console.error(`--requests must be a whole number from 1 to ${REQUESTS_MAX}.`);
  process.exit(1);
}
if (values.seed !== undefined && !/^\d{1,9}$/.test(values.seed)) {
  console.error('--seed must be a whole number; without it one is drawn, and printed.');
  process.exit(1);
}
const { status } = spawnSync(
  process.execPath,
  [
    '--disable-warning=ExperimentalWarning',
    join('node_modules', 'jest', 'bin', 'jest.js'),
    '--selectProjects',
    'fuzz',
    '--verbose',
  ],
  {
    stdio: 'inherit',
    env: { ...process.env, FUZZ_REQUESTS: String(requests), FUZZ_SEED: values.seed ?? 'random' },
  },
);
process.exit(status ?? 1);
