import { shared } from './jest.config.mjs';

// These start the servers that they are about; the embedded one is not needed.
const { globalSetup: _setup, globalTeardown: _teardown, ...own } = shared;

/** Tests that do what docs/operations.md says, with Debian's postgresql, pgbouncer, redis-server and haproxy. */
export default { ...own, testMatch: ['<rootDir>/test/**/*.debian.spec.ts'], testTimeout: 60_000 };
