import { requireNodeVersion } from './app/node-version.js';

requireNodeVersion();
// Loaded after the check: an older Node could not even load what the service is made of.
const { runMigrate } = await import('./app/run-migrate.js');
await runMigrate();
