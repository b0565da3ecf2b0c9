import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readProcessSettings, readScannerSettings, type Settings } from './settings.js';
import type { Demo } from '../standalone/application/demo.js';
import type { ReceiverProcess } from '../standalone/application/receiver-process.js';
import { type Runtime, prepareRuntime } from '../standalone/application/prepare-runtime.js';
import { refuseUnwritableStorage } from './storage-check.js';
import { resolveBaseUrl } from '../shared/base-url.js';
import { lowerPriority } from '../shared/lower-priority.js';
import { close, closeStarted, listen, listenOn } from './http-server.js';
import { runUntilSignal, type Stops } from './until-signal.js';
import { WORKER, WorkerProcess } from './worker-process.js';

/**
 * Added to the nice value of an API with a worker process: where the processors are busy, the worker's thread gets twice as
 * much of them. At the same priority, consents that arrive as fast as they are answered leave deliveries behind (ADR 71).
 */
const API_NICE = 3;

/** Runs the API, and in standalone mode everything else with it, until a signal ends it. */
export async function runApi(): Promise<void> {
  await runUntilSignal(async (stops) => {
    const startedMs = performance.now();
    buildMissingParts();
    const given = readProcessSettings();
    const [machine, { createHttpApp, prepareDemo, receiver }] = await prepareAndLoad(given, stops, () =>
      loadApi(given),
    );
    if (receiver) stops.push(() => receiver.stop());
    const demo = receiver && prepareDemo(machine, receiver);
    const settings = demo?.settings ?? machine.settings;
    // Not before now: it loads the same modules, and the requests would wait for both.
    const worker = settings.app.runWorker ? new WorkerProcess(WORKER, withRunWorker(settings, true)) : null;
    if (worker) stops.push(() => worker.stop());
    const app = await createHttpApp(withRunWorker(settings, false), {
      ...(demo && { mount: (a) => demo.mount(a) }),
    });
    stops.push(() => close(app, settings.app.shutdownDelayMs));
    if (worker) await reportWorker(app, worker);
    const { host, publicBaseUrl } = settings.service;
    const port = await listen(app, settings.service.port, host, 'PORT');
    const baseUrl = resolveBaseUrl({ publicBaseUrl, host, port });
    await listenForAsks(app, settings, stops);
    if (demo) {
      stops.push(() => demo.stop());
      await demo.ready(app, baseUrl);
    }
    announce(baseUrl, demo, performance.now() - startedMs);
    // Not before now: worker, receiver and database server would inherit it.
    if (worker) lowerPriority(API_NICE);
    const { scannerDatabaseUrl } = machine;
    if (scannerDatabaseUrl === null) return;
    // Loads MikroORM, which the children and the embedded server need not wait for.
    const { offerScans } = await import('./scanner-on-demand.js');
    offerScans(app, { ...settings, scannerDatabaseUrl }, stops);
  });
}

/** Runs a worker alone: outbox, sweepers, maintenance. With WORKER_PORT it answers health and metrics. */
export async function runWorker(): Promise<void> {
  await runUntilSignal(async (stops) => {
    const given = withRunWorker(readProcessSettings(), true);
    const [{ settings }, { startWorker }] = await prepareAndLoad(
      given,
      stops,
      () => import('./worker-app.js'),
    );
    const { workerPort, shutdownDelayMs } = settings.app;
    if (workerPort > 0) {
      const { createWorkerServer } = await import('./worker-server.js');
      const app = await createWorkerServer(settings);
      stops.push(() => close(app, shutdownDelayMs));
      await listen(app, workerPort, settings.service.host, 'WORKER_PORT');
    } else {
      const starting = startWorker(settings);
      stops.push(() => closeStarted(starting));
      await starting;
    }
    process.stdout.write('worker ready\n');
  });
}

/** Runs a scanner alone. It needs a database that others use, too, and a Chromium. */
export async function runScanner(): Promise<void> {
  await runUntilSignal(async (stops) => {
    const settings = readScannerSettings();
    const { startScanner } = await import('./start-scanner.js');
    stops.push(await startScanner(settings, { standalone: false }));
    process.stdout.write('scanner ready\n');
  });
}

/** `nest build` compiles only the service; this builds the loader and the dashboard where they are missing. */
function buildMissingParts(): void {
  const programs = join(import.meta.dirname, '..');
  const checkout = join(programs, '..');
  for (const [made, script] of [
    [join('loader', 'loader.js'), 'build-loader.mjs'],
    [join('dashboard', 'index.html'), 'build-dashboard.mjs'],
  ] as const) {
    const file = join(checkout, 'scripts', script);
    if (existsSync(join(programs, made)) || !existsSync(file)) continue;
    execFileSync(process.execPath, [file, programs], { cwd: checkout, stdio: 'inherit' });
  }
}

function withRunWorker(settings: Settings, runWorker: boolean): Settings {
  return { ...settings, app: { ...settings.app, runWorker } };
}

/** Health and metrics of the API include those of its worker process. */
async function reportWorker(app: NestExpressApplication, worker: WorkerProcess): Promise<void> {
  const [{ Metrics }, { ReadinessChecks }] = await Promise.all([
    import('../shared/metrics.js'),
    import('../operations/application/readiness.js'),
  ]);
  app.get(Metrics).includeWorker(() => worker.metrics());
  app.get(ReadinessChecks, { strict: false }).includeWorker(() => worker.isRunning);
}

/** Where the edge asks about certificates, on a separate port. */
async function listenForAsks(app: NestExpressApplication, settings: Settings, stops: Stops): Promise<void> {
  const { askPort, askHost } = settings.domains;
  if (askPort === 0) return;
  const { AskServer } = await import('../domains/http/ask-server.js');
  const ask = app.get(AskServer, { strict: false });
  stops.push(() => ask.close());
  await listenOn(ask.server, { port: askPort, host: askHost, setting: 'CUSTOM_DOMAIN_ASK_PORT' });
}

/**
 * Loads a program while the database starts, which does not need it. Loading blocks the event loop for a second, so the
 * database begins before it, and wrong settings and a locked data folder are reported.
 */
async function prepareAndLoad<Program>(
  settings: Settings,
  stops: Stops,
  load: () => Promise<Program>,
): Promise<[Runtime<Settings>, Program]> {
  const preparing = prepare(settings, stops);
  await Promise.race([preparing, nextTurn()]);
  return Promise.all([preparing, load()]);
}

type Api = typeof import('./http-app.js') &
  typeof import('../standalone/application/demo.js') & { receiver: ReceiverProcess | null };

/** Starts the demo's receiver before it loads the rest. */
async function loadApi(settings: Settings): Promise<Api> {
  const starting = startReceiver(settings);
  await Promise.race([starting, nextTurn()]);
  const [httpApp, demo, receiver] = await Promise.all([
    import('./http-app.js'),
    import('../standalone/application/demo.js'),
    starting,
  ]);
  return { ...httpApp, ...demo, receiver };
}

/** The demo's receiver; its address is one of the settings. */
async function startReceiver({ app, service }: Settings): Promise<ReceiverProcess | null> {
  if (!app.demo) return null;
  const { createReceiver } = await import('../standalone/application/receiver-process.js');
  const receiver = createReceiver(service.dataDir);
  await receiver.start();
  return receiver;
}

/** Database and migrations: what every process needs before it is anything. */
async function prepare(settings: Settings, stops: Stops): Promise<Runtime<Settings>> {
  if (settings.app.runWorker) refuseUnwritableStorage(settings);
  const starting = prepareRuntime(settings);
  // From now on: a signal while the embedded server starts must not leave it running.
  stops.push(async () => (await starting.catch(() => null))?.stop());
  const machine = await starting;
  // Loads MikroORM, for which the child processes and the embedded server need not wait.
  const { prepareDatabase } = await import('./start-database.js');
  await prepareDatabase(machine.settings);
  return machine;
}

function announce(baseUrl: string, demo: Demo | null, tookMs: number): void {
  const lines = [
    `ready in ${(tookMs / 1000).toFixed(1)} s`,
    `  dashboard      ${demo ? demo.entrance(baseUrl) : baseUrl}`,
    `  API            ${baseUrl}`,
    `  documentation  ${baseUrl}/docs`,
  ];
  process.stdout.write(`${[...lines, ...(demo?.lines(baseUrl) ?? [])].join('\n')}\n`);
}
