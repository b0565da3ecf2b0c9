import { shared } from './jest.config.mjs';

/** Tests that need Debian's redis-server. */
export default { ...shared, testMatch: ['<rootDir>/test/**/*.redis.spec.ts'] };
