import { enableCompileCache } from './app/compile-cache.js';
import { requireNodeVersion } from './app/node-version.js';

requireNodeVersion();
enableCompileCache();
const { runScanner } = await import('./app/run.js');
await runScanner();
