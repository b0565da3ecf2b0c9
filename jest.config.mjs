import { availableParallelism } from 'node:os';

/** A net for tests that hang, not a measure: tests wait for conditions, and benches measure. */
const TEST_TIMEOUT_MS = 900_000;

/** What every project shares. */
const shared = {
  // Only `--watch` and `--findRelatedTests` follow imports; Node loads the tests.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // `npm run mutate` keeps copies of everything there.
  modulePathIgnorePatterns: ['/\\.mutants/'],
  testEnvironment: 'node',
  // Stryker expects "jest-circus" in the name.
  testRunner: '<rootDir>/test/support/native-jest-circus.mjs',
  testTimeout: TEST_TIMEOUT_MS,
};

/** Starts one PostgreSQL for all files. */
const withDatabase = {
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};

const suite = (name, testMatch) => ({ ...shared, displayName: name, testMatch });

export default {
  // One more than cores, because most of these tests wait for a server or a clock. By default Jest leaves one core free.
  maxWorkers: Math.max(2, availableParallelism() + 1),
  testSequencer: '<rootDir>/test/support/longest-first.mjs',
  projects: [
    {
      // `npm test`: needs only Node and npm.
      ...suite('unit', [
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
        '\\.slow\\.spec\\.ts$',
      ],
    },
    // Needs only Node and npm, too, and takes most of the time of all: starts programs, waits for clocks, or sends
    // thousands of requests.
    { ...suite('slow', ['<rootDir>/test/**/*.slow.spec.ts']), ...withDatabase },
    // Debian's redis-server, and the S3 server of test/extras.
    { ...suite('services', ['<rootDir>/test/**/*.services.spec.ts']), ...withDatabase },
    // Debian's chromium.
    { ...suite('browser', ['<rootDir>/test/**/*.browser.spec.ts']), ...withDatabase },
    // Follows docs/deploy.md and docs/run.md with Debian's postgresql, pgbouncer, redis-server and haproxy; starts its own servers.
    suite('debian', ['<rootDir>/test/**/*.debian.spec.ts']),
    // `npm run fuzz`; `.ci/run` calls it with a few thousand requests.
    { ...suite('fuzz', ['<rootDir>/test/fuzz/**/*.spec.ts']), ...withDatabase },
  ],
};
