import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { SettingsError } from '../shared/declare-settings.js';
import { readSettings, type Settings } from './settings.js';
import { DataFolderTakenError } from '../one-machine/infrastructure/data-folder-lock.js';
import type { Demo } from '../one-machine/application/demo.js';
import { EmbeddedPostgresError } from '../one-machine/infrastructure/embedded-postgres.js';
import { type Machine, prepareMachine } from '../one-machine/application/machine.js';
import { refuseUnwritableStorage } from './storage-check.js';
import { prepareDatabase, StartError } from './start-database.js';

const PARENT_WATCH_MS = 500;
/** How long a stopping process waits for the requests under way: as long as an ingest may wait for its database. */
const REQUEST_GRACE_MS = 5_000;

/** How long the parts of the application may take to close, once what was under way is written. */
const CLOSE_GRACE_MS = 3_000;

/** Runs the API, and in one-machine mode everything else with it, until a signal ends it. */
export async function runApi(): Promise<void> {
  await run(async (stops) => {
    const startedMs = performance.now();
    buildMissingLoader();
    const [machine, { createHttpApp, startDemo }] = await prepareAndLoad(stops);
    const demo = machine.settings.app.demo ? await startDemo(machine, stops) : null;
    const settings = demo?.settings ?? machine.settings;
    const app = await createHttpApp(settings, demo ? { mount: (a) => demo.mount(a) } : {});
    stops.push(() => close(app, settings.app.shutdownDelayMs));
    const { host, publicBaseUrl } = settings.service;
    const port = await listen(app, settings.service.port, host, 'PORT');
    const baseUrl = publicBaseUrl || `http://${reachableHost(host)}:${port}`;
    await demo?.ready(app, baseUrl);
    announce(baseUrl, demo, performance.now() - startedMs);
  });
}

/** Runs a worker alone: outbox, sweepers, upkeep. With WORKER_PORT it answers health and metrics. */
export async function runWorker(): Promise<void> {
  await run(async (stops) => {
    const [machine, { createHttpApp }] = await prepareAndLoad(stops, workAlone);
    const app = await createHttpApp(machine.settings, { operationsOnly: true });
    const { app: settings, service } = machine.settings;
    stops.push(() => close(app, settings.shutdownDelayMs));
    if (settings.workerPort > 0) await listen(app, settings.workerPort, service.host, 'WORKER_PORT');
    else await app.init();
    process.stdout.write('worker ready\n');
  });
}

/** `nest build` compiles the service alone; whoever starts its result in a checkout gets the loader too. */
function buildMissingLoader(): void {
  const programs = join(import.meta.dirname, '..');
  const script = join(programs, '..', 'scripts', 'build-loader.mjs');
  if (existsSync(join(programs, 'loader', 'loader.js')) || !existsSync(script)) return;
  execFileSync(process.execPath, [script, programs], { cwd: join(programs, '..'), stdio: 'inherit' });
}

/** Whatever RUN_WORKER says. */
function workAlone(settings: Settings): Settings {
  return { ...settings, app: { ...settings.app, runWorker: true } };
}

type Application = typeof import('./http-app.js') & typeof import('../one-machine/application/demo.js');

/** Loads the application while the database starts: each takes a second, and neither needs the other. */
async function prepareAndLoad(
  stops: (() => Promise<void>)[],
  change: (settings: Settings) => Settings = (settings) => settings,
): Promise<[Machine<Settings>, Application]> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const preparing = prepare(change(readSettings(process.env)), stops);
  // Wrong settings and a taken data folder are known at once, and told before the loading holds everything up.
  await Promise.race([preparing, new Promise((wake) => setImmediate(wake))]);
  return Promise.all([preparing, loadApplication()]);
}

async function loadApplication(): Promise<Application> {
  const [httpApp, demo] = await Promise.all([
    import('./http-app.js'),
    import('../one-machine/application/demo.js'),
  ]);
  return { ...httpApp, ...demo };
}

/** Database and migrations: what every process needs before it is anything. */
async function prepare(settings: Settings, stops: (() => Promise<void>)[]): Promise<Machine<Settings>> {
  if (settings.app.runWorker) refuseUnwritableStorage(settings.publishing);
  const machine = await prepareMachine(settings);
  stops.push(machine.stop);
  await prepareDatabase(machine.settings);
  return machine;
}

/** Listens and returns the port, which the system has chosen where 0 was asked for. */
async function listen(
  app: NestExpressApplication,
  port: number,
  host: string,
  setting: string,
): Promise<number> {
  await app.init();
  const server: Server = app.getHttpServer();
  try {
    // Not `app.listen`, which logs the error as well: it is told below, in a sentence.
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => resolve());
    });
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(
        `Port ${port} on ${host} is taken by another program. Stop it, or set ${setting} to a free one.`,
        { cause },
      );
    if (code === 'EACCES')
      throw new StartError(`This user may not listen on port ${port}. Set ${setting} to one above 1023.`, {
        cause,
      });
    if (code === 'EADDRNOTAVAIL')
      throw new StartError(`This machine has no address ${host}. Set HOST to one that it has.`, { cause });
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new StartError(
        `No address is known for the host ${host}. Set HOST to an address of this machine.`,
        {
          cause,
        },
      );
    throw cause;
  }
}

/** The host under which this machine reaches what listens on `host`. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/**
 * Takes no more requests, answers those under way, and then closes the application. A client that does not
 * end its request is cut off: nobody else shall wait for it.
 */
async function close(app: NestExpressApplication, shutdownDelayMs: number): Promise<void> {
  const server: Server = app.getHttpServer();
  const { ReadinessChecks } = await import('../operations/application/readiness.js');
  app.get(ReadinessChecks, { strict: false }).leave();
  // Whoever balances the load asks now and then, and goes on sending requests until it has heard.
  if (server.listening && shutdownDelayMs > 0) await sleep(shutdownDelayMs);
  const cut = setTimeout(() => server.closeAllConnections(), REQUEST_GRACE_MS);
  await new Promise((closed) => server.close(closed));
  clearTimeout(cut);
  // Loaded with the application, never before the settings were checked.
  const { OutboxDispatcher } = await import('../outbox/application/outbox.dispatcher.js');
  await app.get(OutboxDispatcher, { strict: false }).beforeApplicationShutdown();
  // What is left are leases, which run out, and connections, which the process's end closes as well: one to a
  // server that is away must not hold it up.
  await Promise.race([app.close(), sleep(CLOSE_GRACE_MS)]);
}

/**
 * Starts, then waits for a signal, then undoes what was started, last first. Each step of `stops` is put
 * there as soon as there is something to undo, so a start that fails half-way leaves nothing behind.
 */
async function run(start: (stops: (() => Promise<void>)[]) => Promise<void>): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | null = null;
  const stop = (exitCode: number): void => {
    stopping ??= (async () => {
      for (const undo of stops.reverse()) {
        await undo().catch((error: unknown) =>
          process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`),
        );
      }
      process.exit(exitCode);
    })();
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // npm passes a signal on that the terminal has sent already: the same one again is no impatience.
      if (!stopping) process.stdout.write(`\n${signal}: finishing what is under way\n`);
      stop(0);
    });
  }
  stopWithNpm(() => stop(0));
  // Whoever read the output may go before the service does; a line that nobody reads must not end it.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  try {
    await start(stops);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    stop(1);
  }
}

/** Under `npm start`, npm may be killed without a word: the service then ends too, rather than stay behind unseen. */
function stopWithNpm(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  setInterval(() => {
    if (process.ppid !== npm) stop();
  }, PARENT_WATCH_MS).unref();
}

function sentenceOf(error: unknown): string {
  const expected = [StartError, SettingsError, DataFolderTakenError, EmbeddedPostgresError];
  if (expected.some((kind) => error instanceof kind)) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function announce(baseUrl: string, demo: Demo | null, tookMs: number): void {
  const lines = [
    `ready in ${(tookMs / 1000).toFixed(1)} s`,
    `  API            ${baseUrl}`,
    `  documentation  ${baseUrl}/docs`,
  ];
  process.stdout.write(`${[...lines, ...(demo?.lines(baseUrl) ?? [])].join('\n')}\n`);
}
