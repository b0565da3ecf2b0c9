import { prepareModuleLoading } from './programs/module-loading.js';
import { requireNodeVersion } from './programs/node-version.js';
import { useTrustedRoots } from './platform/network/trusted-roots.js';

requireNodeVersion();
useTrustedRoots();
prepareModuleLoading();
const { runScanner } = await import('./programs/run.js');
await runScanner();
