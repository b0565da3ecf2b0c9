/** The scanner in a child process of the API; `worker-process.ts` starts it and sends its settings. */
import { once } from 'node:events';
import { useTrustedRoots } from '../platform/network/trusted-roots.js';
import { prepareModuleLoading } from './module-loading.js';
import type { ScannerSettings } from './settings.js';
import type { FromWorker, ToWorker } from './worker-process.js';
import { runUntilDisconnect } from './until-signal.js';

prepareModuleLoading();
useTrustedRoots();
await runUntilDisconnect(async (stops) => {
  const [[message], { startScanner }] = await Promise.all([
    once(process, 'message') as Promise<[ToWorker<ScannerSettings>]>,
    import('./start-scanner.js'),
  ]);
  if (message.kind !== 'start') throw new Error('The first message must contain the settings.');
  stops.push(await startScanner(message.settings, { standalone: true }));
  // A failure means that the parent has exited; `disconnect` follows.
  process.send?.({ kind: 'ready' } satisfies FromWorker, () => {});
});
