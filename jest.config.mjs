import { availableParallelism } from 'node:os';

/** The suite of `npm test`: needs Node and npm alone. */
export const shared = {
  // For `--watch` and `--findRelatedTests` alone, which follow imports; Node loads the tests.
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Copies of everything, while `npm run mutate` runs.
  modulePathIgnorePatterns: ['/\\.mutants/'],
  testEnvironment: 'node',
  // Stryker wants to read "jest-circus" in the name.
  testRunner: './test/support/native-jest-circus.mjs',
  testTimeout: 30_000,
  globalSetup: './test/support/global-setup.mjs',
  globalTeardown: './test/support/global-teardown.mjs',
};

export default {
  ...shared,
  // Jest leaves one core free, and two cores one worker; most of these tests wait for a server or a clock.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  testMatch: [
    '<rootDir>/src/**/*.spec.ts',
    '<rootDir>/dashboard/src/**/*.spec.ts',
    '<rootDir>/test/**/*.spec.ts',
  ],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/test/fuzz/',
    '\\.redis\\.spec\\.ts$',
    '\\.services\\.spec\\.ts$',
    '\\.browser\\.spec\\.ts$',
    '\\.debian\\.spec\\.ts$',
  ],
};
