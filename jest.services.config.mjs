import { shared } from './jest.config.mjs';

/** Tests that need Debian's redis-server, or the S3 server of test/extras. */
export default {
  ...shared,
  testMatch: ['<rootDir>/test/**/*.services.spec.ts'],
};
