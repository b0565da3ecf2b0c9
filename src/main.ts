import { prepareModuleLoading } from './programs/module-loading.js';
import { requireNodeVersion } from './programs/node-version.js';
import { useTrustedRoots } from './platform/network/trusted-roots.js';

requireNodeVersion();
useTrustedRoots();
prepareModuleLoading();
// Loaded after the check, because an older Node cannot load the service's code.
const { runApi } = await import('./programs/run.js');
await runApi();
