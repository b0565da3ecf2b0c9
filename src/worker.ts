import { requireNodeVersion } from './programs/node-version.js';
import { useTrustedRoots } from './platform/network/trusted-roots.js';

requireNodeVersion();
useTrustedRoots();
const { runWorker } = await import('./programs/run.js');
await runWorker();
