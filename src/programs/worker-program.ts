/** The worker in a child process of the API; `worker-process.ts` starts it and sends its settings. */
import { once } from 'node:events';
import { useTrustedRoots } from '../platform/network/trusted-roots.js';
import type { FromWorker, ToWorker } from './worker-process.js';
import { runUntilDisconnect } from './until-signal.js';

useTrustedRoots();
await runUntilDisconnect(async (stops) => {
  // Loaded while the parent prepares the database.
  const [[message], { startWorker }, { closeStarted }, { Metrics }] = await Promise.all([
    once(process, 'message') as Promise<[ToWorker]>,
    import('./worker-app.js'),
    import('./http-server.js'),
    import('../platform/operations/metrics.js'),
  ]);
  if (message.kind !== 'start') throw new Error('The first message must contain the settings.');
  const starting = startWorker(message.settings);
  stops.push(() => closeStarted(starting));
  const metrics = (await starting).get(Metrics);
  process.on('message', (request: ToWorker) => {
    if (request.kind === 'metrics')
      void metrics.values().then((values) => send({ kind: 'metrics', metrics: values }));
  });
  send({ kind: 'ready' });
});

function send(message: FromWorker): void {
  // A failure means that the parent has exited; `disconnect` follows.
  process.send?.(message, () => {});
}
