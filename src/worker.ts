import { requireNodeVersion } from './app/node-version.js';

requireNodeVersion();
const { runWorker } = await import('./app/run.js');
await runWorker();
