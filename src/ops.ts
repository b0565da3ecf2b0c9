import { prepareModuleLoading } from './app/module-loading.js';
import { requireNodeVersion } from './app/node-version.js';

requireNodeVersion();
prepareModuleLoading();
// Loaded after the check: an older Node could not even load what the service is made of.
const { runOps } = await import('./app/run-ops.js');
await runOps(process.argv.slice(2));
