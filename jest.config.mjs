import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** What every project shares. */
const shared = {
  // Only `--watch` and `--findRelatedTests` follow imports; Node loads the tests.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // `npm run mutate` keeps copies of everything there.
  modulePathIgnorePatterns: ['/\\.mutants/'],
  testEnvironment: 'node',
  // Stryker expects "jest-circus" in the name.
  testRunner: '<rootDir>/test/support/native-jest-circus.mjs',
};

/** Starts one PostgreSQL for all files. */
const withDatabase = {
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

/**
 * Suites that take most of the time of all: they start programs, wait for clocks, or send thousands of requests.
 * `npm run test:slow` runs them, and `.ci/run` calls it.
 */
const SLOW = [
  'access/access.lockout.e2e',
  'access/authorization.e2e',
  'access/mail-budgets.e2e',
  'access/own-account.e2e',
  'app/commands.e2e',
  'app/hostile-connections.e2e',
  'app/hostile-input.e2e',
  'app/start-refusals.e2e',
  'billing/billing-life.e2e',
  'billing/billing-maintenance.e2e',
  'billing/billing-order.e2e',
  'consent/erasure.e2e',
  'database/administrator-settings.e2e',
  'database/database-copy.e2e',
  'database/database-log.e2e',
  'database/migrate.e2e',
  'database/mikro-orm.e2e',
  'database/roles-under-load.e2e',
  'evidence/record-check.int',
  'evidence/sequencing.int',
  'evidence/timestamps.e2e',
  'faults/faults.e2e',
  'forwarding/endpoint-matrix.e2e',
  'forwarding/forwarding-bounds.e2e',
  'forwarding/outcome.e2e',
  'forwarding/receiver-checks.e2e',
  'forwarding/receiver-samples.e2e',
  'forwarding/retry-outage.e2e',
  'operations/ops.e2e',
  'standalone/children.e2e',
  'standalone/demo-start.e2e',
  'standalone/restored-copy.e2e',
  'standalone/standalone.e2e',
].map((name) => `test/${name}.spec.ts`);

const missing = SLOW.filter((file) => !existsSync(join(import.meta.dirname, file)));
if (missing.length > 0)
  throw new Error(`jest.config.mjs lists files that do not exist: ${missing.join(', ')}`);

const suite = (name, testTimeout, testMatch) => ({ ...shared, displayName: name, testTimeout, testMatch });

export default {
  // One more than cores, because most of these tests wait for a server or a clock. By default Jest leaves one core free.
  maxWorkers: Math.max(2, availableParallelism() + 1),
  projects: [
    {
      // `npm test`: needs only Node and npm.
      ...suite('unit', 30_000, [
        '<rootDir>/src/**/*.spec.ts',
        '<rootDir>/dashboard/src/**/*.spec.ts',
        '<rootDir>/packages/*/src/**/*.spec.ts',
        '<rootDir>/test/**/*.spec.ts',
      ]),
      ...withDatabase,
      testPathIgnorePatterns: [
        '/node_modules/',
        '/test/fuzz/',
        '\\.services\\.spec\\.ts$',
        '\\.browser\\.spec\\.ts$',
        '\\.debian\\.spec\\.ts$',
        ...SLOW.map((file) => `/${file.replaceAll('.', '\\.')}$`),
      ],
    },
    // Needs only Node and npm, too.
    {
      ...suite(
        'slow',
        30_000,
        SLOW.map((file) => `<rootDir>/${file}`),
      ),
      ...withDatabase,
    },
    // Debian's redis-server, and the S3 server of test/extras.
    { ...suite('services', 30_000, ['<rootDir>/test/**/*.services.spec.ts']), ...withDatabase },
    // Debian's chromium.
    { ...suite('browser', 120_000, ['<rootDir>/test/**/*.browser.spec.ts']), ...withDatabase },
    // Follows docs/operations.md with Debian's postgresql, pgbouncer, redis-server and haproxy; starts its own servers.
    suite('debian', 60_000, ['<rootDir>/test/**/*.debian.spec.ts']),
    // `npm run fuzz`; `.ci/run` calls it with a few thousand requests.
    { ...suite('fuzz', 30_000, ['<rootDir>/test/fuzz/**/*.spec.ts']), ...withDatabase },
  ],
};
