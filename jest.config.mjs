import { availableParallelism } from 'node:os';

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

const suite = (name, testTimeout, testMatch) => ({ ...shared, displayName: name, testTimeout, testMatch });

export default {
  // By default Jest leaves one core free; most of these tests wait for a server or a clock.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  projects: [
    {
      // `npm test`: needs only Node and npm.
      ...suite('unit', 30_000, [
        '<rootDir>/src/**/*.spec.ts',
        '<rootDir>/dashboard/src/**/*.spec.ts',
        '<rootDir>/test/**/*.spec.ts',
      ]),
      ...withDatabase,
      testPathIgnorePatterns: [
        '/node_modules/',
        '/test/fuzz/',
        '\\.services\\.spec\\.ts$',
        '\\.browser\\.spec\\.ts$',
        '\\.debian\\.spec\\.ts$',
      ],
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
