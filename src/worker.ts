import { requireNodeVersion } from './node-version.js';

requireNodeVersion();
const { runWorker } = await import('./run.js');
await runWorker();
