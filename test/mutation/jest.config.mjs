import { join } from 'node:path';
import jest from '../../jest.config.mjs';

const [{ globalSetup: _setup, globalTeardown: _teardown, modulePathIgnorePatterns: _copies, ...unit }] =
  jest.projects;

/** The specs of pure rules, for Stryker, which runs them in its copy of the checkout. They need no database. */
export default {
  ...unit,
  rootDir: join(import.meta.dirname, '..', '..'),
  roots: ['<rootDir>/src'],
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testRunner: '<rootDir>/test/mutation/native-jest-circus.mjs',
  testTimeout: 5_000,
};
