import { enableCompileCache } from './app/compile-cache.js';
import { requireNodeVersion } from './app/node-version.js';

requireNodeVersion();
enableCompileCache();
const { runWorker } = await import('./app/run.js');
await runWorker();
