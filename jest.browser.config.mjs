import { shared } from './jest.config.mjs';

/** Tests that need Debian's chromium. */
export default { ...shared, testMatch: ['<rootDir>/test/**/*.browser.spec.ts'], testTimeout: 120_000 };
