import { shared } from './jest.config.mjs';

/** The suite of `npm run fuzz`, which `.ci/run` calls with a few thousand requests. */
export default { ...shared, testMatch: ['<rootDir>/test/fuzz/**/*.spec.ts'] };
