import { prepareModuleLoading } from './app/module-loading.js';
import { requireNodeVersion } from './app/node-version.js';

requireNodeVersion();
prepareModuleLoading();
const { runScanner } = await import('./app/run.js');
await runScanner();
