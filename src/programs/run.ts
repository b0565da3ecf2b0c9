import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { evidenceSettings } from '../modules/evidence/evidence.settings.js';
import type { publishingSettings } from '../modules/publishing/publishing.settings.js';
import { resolveBaseUrl } from '../platform/network/base-url.js';
import { lowerPriority } from '../platform/process/lower-priority.js';
import { SettingsError, type SettingsOf } from '../platform/settings/declare-settings.js';
import type { StorageSettings } from '../platform/storage/storage-url.js';
import type { Demo } from '../standalone/demo/demo.js';
import type { ReceiverProcess } from '../standalone/demo/receiver-process.js';
import { prepareRuntime, type Runtime } from '../standalone/prepare-runtime.js';
import { close, closeStarted, listen, listenOn } from './http-server.js';
import { readProcessSettings, readScannerSettings, type Settings } from './settings.js';
import { runUntilSignal, type Stops } from './until-signal.js';
import { WORKER, WorkerProcess } from './worker-process.js';

/**
 * Added to the nice value of an API with a worker process: on busy processors the worker's thread
 * gets twice the time. At the same priority, ingest at full rate would starve deliveries (ADR 71).
 */
const API_NICE = 3;

/** Runs the API, and in standalone mode everything else with it, until a signal stops it. */
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
    // Started late, because it loads the same modules, and the requests would wait for both.
    const worker = settings.app.runWorker ? new WorkerProcess(WORKER, withRunWorker(settings, true)) : null;
    if (worker) stops.push(() => worker.stop());
    const app = await createHttpApp(withRunWorker(settings, false), {
      ...(demo && { mount: (a) => demo.mount(a) }),
    });
    stops.push(() => close(app, settings.app.shutdownDelayMs));
    if (worker) await reportWorker(app, worker);
    const { scannerDatabaseUrl } = machine;
    const beginScans =
      scannerDatabaseUrl === null
        ? null
        : await prepareScans(app, { ...settings, scannerDatabaseUrl }, stops);
    const { host, publicBaseUrl } = settings.service;
    const port = await listen(app, settings.service.port, host, 'PORT');
    const baseUrl = resolveBaseUrl({ publicBaseUrl, host, port });
    await listenForAsks(app, settings, stops);
    if (demo) {
      stops.push(() => demo.stop());
      await demo.ready(app, baseUrl);
    }
    announce(baseUrl, demo, performance.now() - startedMs);
    // Set late: worker, receiver and database server would inherit it.
    if (worker) lowerPriority(API_NICE);
    beginScans?.();
  });
}

/**
 * Runs only a worker: outbox, sweepers, maintenance. With WORKER_PORT it serves health and metrics.
 */
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

/** Runs only a scanner. It needs a shared database and a Chromium. */
export async function runScanner(): Promise<void> {
  await runUntilSignal(async (stops) => {
    const settings = readScannerSettings();
    const { startScanner } = await import('./start-scanner.js');
    stops.push(await startScanner(settings, { standalone: false }));
    process.stdout.write('scanner ready\n');
  });
}

/**
 * `nest build` compiles only the service; this builds the loader and the dashboard if they are
 * missing.
 */
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
    import('../platform/operations/metrics.js'),
    import('../platform/operations/application/readiness.js'),
  ]);
  app.get(Metrics).includeWorker(() => worker.metrics());
  app.get(ReadinessChecks, { strict: false }).includeWorker(() => worker.isRunning);
}

/** The server for the edge's questions about certificates, on a separate port. */
async function listenForAsks(app: NestExpressApplication, settings: Settings, stops: Stops): Promise<void> {
  const { askPort, askHost } = settings.domains;
  if (askPort === 0) return;
  const { AskServer } = await import('../modules/domains/http/ask-server.js');
  const ask = app.get(AskServer, { strict: false });
  stops.push(() => ask.close());
  await listenOn(ask.server, { port: askPort, host: askHost, setting: 'CUSTOM_DOMAIN_ASK_PORT' });
}

/**
 * Loads a program while the database starts. Loading blocks the event loop for a second, so the
 * database starts before it, and invalid settings and a locked data folder are reported first.
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
  typeof import('../standalone/demo/demo.js') & { receiver: ReceiverProcess | null };

/** Starts the demo's receiver before it loads the rest. */
async function loadApi(settings: Settings): Promise<Api> {
  const starting = startReceiver(settings);
  await Promise.race([starting, nextTurn()]);
  const [httpApp, demo, receiver] = await Promise.all([
    import('./http-app.js'),
    import('../standalone/demo/demo.js'),
    starting,
  ]);
  return { ...httpApp, ...demo, receiver };
}

/** Starts the demo's receiver; its address is one of the settings. */
async function startReceiver({ app, service }: Settings): Promise<ReceiverProcess | null> {
  if (!app.demo) return null;
  const { createReceiver } = await import('../standalone/demo/receiver-process.js');
  const receiver = createReceiver(service.dataDir);
  await receiver.start();
  return receiver;
}

/** Before the first request, which may request a scan. */
async function prepareScans(
  app: NestExpressApplication,
  settings: Settings & { scannerDatabaseUrl: string },
  stops: Stops,
): Promise<() => void> {
  // Loads MikroORM, which children and the embedded server do not need.
  const { offerScans } = await import('./scanner-on-demand.js');
  return offerScans(app, settings, stops);
}

/** Prepares database and migrations, which all processes need. */
async function prepare(settings: Settings, stops: Stops): Promise<Runtime<Settings>> {
  if (settings.app.runWorker) refuseUnwritableStorage(settings);
  const starting = prepareRuntime(settings);
  // Registered before the start finishes: a signal in between must not leave the embedded server
  // running.
  stops.push(async () => (await starting.catch(() => null))?.stop());
  const machine = await starting;
  // Loads MikroORM, which child processes and the embedded server do not need.
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

/**
 * Checks that this process can write to the storage folders. Otherwise the first publication would fail, and only
 * the log would show it.
 * @throws SettingsError
 */
function refuseUnwritableStorage(settings: {
  publishing: SettingsOf<typeof publishingSettings>;
  evidence: SettingsOf<typeof evidenceSettings>;
}): void {
  refuse('STORAGE_URL', settings.publishing.storage);
  if (settings.evidence.keys.length > 0) refuse('EVIDENCE_STORAGE_URL', settings.evidence.storage);
}

function refuse(name: string, storage: StorageSettings): void {
  if (storage.kind !== 'folder') return;
  const probe = join(storage.path, `.write-check-${process.pid}`);
  try {
    mkdirSync(storage.path, { recursive: true });
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException;
    throw new SettingsError(
      `${name} (by default a folder in DATA_DIR) points to ${storage.path}, where this user cannot write (${code}).`,
      { cause },
    );
  }
}
