import { shared } from './jest.config.mjs';

// Rules need no database.
const { globalSetup: _setup, globalTeardown: _teardown, modulePathIgnorePatterns: _copies, ...own } = shared;

/** The specs of pure rules, for Stryker, which runs them in its copy of the checkout. */
export default {
  ...own,
  roots: ['<rootDir>/src'],
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testRunner: './test/mutation/native-jest-circus.mjs',
  testTimeout: 5_000,
};
