import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessSettings, type Settings } from './settings.js';
import type { Demo } from '../standalone/application/demo.js';
import { type Runtime, prepareRuntime } from '../standalone/application/prepare-runtime.js';
import { refuseUnwritableStorage } from './storage-check.js';
import { resolveBaseUrl } from '../shared/base-url.js';
import { close, listen } from './http-server.js';
import { prepareDatabase } from './start-database.js';
import { runUntilSignal, type Stops } from './until-signal.js';

/** Runs the API, and in standalone mode everything else with it, until a signal ends it. */
export async function runApi(): Promise<void> {
  await runUntilSignal(async (stops) => {
    const startedMs = performance.now();
    buildMissingParts();
    const [machine, { createHttpApp, startDemo }] = await prepareAndLoad(stops);
    const demo = machine.settings.app.demo ? await startDemo(machine, stops) : null;
    const settings = demo?.settings ?? machine.settings;
    const app = await createHttpApp(settings, {
      sequencerThread: settings.app.runWorker,
      ...(demo && { mount: (a) => demo.mount(a) }),
    });
    stops.push(() => close(app, settings.app.shutdownDelayMs));
    const { host, publicBaseUrl } = settings.service;
    const port = await listen(app, settings.service.port, host, 'PORT');
    const baseUrl = resolveBaseUrl({ publicBaseUrl, host, port });
    await demo?.ready(app, baseUrl);
    announce(baseUrl, demo, performance.now() - startedMs);
  });
}

/** Runs a worker alone: outbox, sweepers, maintenance. With WORKER_PORT it answers health and metrics. */
export async function runWorker(): Promise<void> {
  await runUntilSignal(async (stops) => {
    const [machine, { createHttpApp }] = await prepareAndLoad(stops, workAlone);
    const app = await createHttpApp(machine.settings, { operationsOnly: true, sequencerThread: true });
    const { app: settings, service } = machine.settings;
    stops.push(() => close(app, settings.shutdownDelayMs));
    if (settings.workerPort > 0) await listen(app, settings.workerPort, service.host, 'WORKER_PORT');
    else await app.init();
    process.stdout.write('worker ready\n');
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

/** Whatever RUN_WORKER says. */
function workAlone(settings: Settings): Settings {
  return { ...settings, app: { ...settings.app, runWorker: true } };
}

type Application = typeof import('./http-app.js') & typeof import('../standalone/application/demo.js');

/** Loads the application while the database starts: each takes a second, and neither needs the other. */
async function prepareAndLoad(
  stops: Stops,
  change: (settings: Settings) => Settings = (settings) => settings,
): Promise<[Runtime<Settings>, Application]> {
  const preparing = prepare(change(readProcessSettings()), stops);
  // Wrong settings and a locked data folder are reported before loading the application blocks the event loop.
  await Promise.race([preparing, new Promise((wake) => setImmediate(wake))]);
  return Promise.all([preparing, loadApplication()]);
}

async function loadApplication(): Promise<Application> {
  const [httpApp, demo] = await Promise.all([
    import('./http-app.js'),
    import('../standalone/application/demo.js'),
  ]);
  return { ...httpApp, ...demo };
}

/** Database and migrations: what every process needs before it is anything. */
async function prepare(settings: Settings, stops: Stops): Promise<Runtime<Settings>> {
  if (settings.app.runWorker) refuseUnwritableStorage(settings);
  const machine = await prepareRuntime(settings);
  stops.push(machine.stop);
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
