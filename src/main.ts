import { prepareModuleLoading } from './app/module-loading.js';
import { requireNodeVersion } from './app/node-version.js';

requireNodeVersion();
prepareModuleLoading();
// Loaded after the check: an older Node could not even load what the service is made of.
const { runApi } = await import('./app/run.js');
await runApi();
