import { createServer } from 'node:http';
import { MikroORM } from '@mikro-orm/postgresql';
import { collectDefaultMetrics, type Registry } from 'prom-client';
import { limitPipelining } from '../platform/http/pipelining.js';
import { lowerPriority, NICE_MAX } from '../platform/process/lower-priority.js';
import { findChromium, readVersion, type ChromiumOptions } from '../scanner/browser/chromium.js';
import { Scanner } from '../scanner/run/scanner.js';
import { ScannerMetrics } from '../scanner/scanner.metrics.js';
import { browserUser } from '../standalone/server-user.js';
import { connectPatiently } from './connect-patiently.js';
import { StartError } from './expected-errors.js';
import { listenOn } from './http-server.js';
import { ormOptions } from './orm-options.js';
import type { ScannerSettings } from './settings.js';

const CONNECTIONS = 3;
const MEGABYTE = 1_000_000;

/**
 * Starts a scanner; returns a function that stops it. @throws StartError with a sentence for the
 * operator
 */
export async function startScanner(
  { database, scans, service }: ScannerSettings,
  { standalone }: { standalone: boolean },
): Promise<() => Promise<void>> {
  if (database.databaseUrl === '')
    throw new StartError(
      'Set DATABASE_URL. In standalone mode "npm start" runs the scanner, and nothing else is needed.',
    );
  const browser = await chromiumOptions(scans, standalone);
  const options = ormOptions(database.databaseUrl, { name: 'consent-scanner', connections: CONNECTIONS });
  const orm = await connectPatiently(async () => {
    const opened = await MikroORM.init(options);
    try {
      await opened.em.execute('select 1');
      return opened;
    } catch (error) {
      await opened.close();
      throw error;
    }
  }, database.startWaitSeconds * 1_000);
  // API and database on the same machine have priority. Chromium inherits it.
  lowerPriority(NICE_MAX);
  const stopping = new AbortController();
  const metrics = new ScannerMetrics();
  const scanner = new Scanner(orm.em, {
    settings: scans,
    production: service.production,
    browser,
    metrics,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  const { port } = scans;
  const closeServer =
    port > 0 && !standalone
      ? await serveScanner({
          port,
          host: service.host,
          registry: metrics.registry,
          isReady: () => scanner.isReady,
        })
      : () => {};
  const running = scanner.run(stopping.signal);
  return async () => {
    closeServer();
    stopping.abort();
    await running;
    await orm.close();
  };
}

async function chromiumOptions(
  scans: ScannerSettings['scans'],
  standalone: boolean,
): Promise<ChromiumOptions> {
  const path = findChromium(scans.chromium);
  if (path === null)
    throw new StartError(
      'No Chromium found. Install it, for example with "apt-get install chromium", or set SCANNER_CHROMIUM.',
    );
  const isRoot = process.getuid?.() === 0;
  if (isRoot && !standalone)
    throw new StartError('The scanner must not run as root. Start it as another user.');
  const user = isRoot ? browserUser() : null;
  if (isRoot && !user) throw new StartError('The scanner found no unused user id to run Chromium as.');
  return {
    path,
    version: await versionOf(path),
    contact: scans.contact,
    sandbox: scans.sandbox,
    user,
    memoryBytesMax: scans.memoryMegabytes * MEGABYTE,
    diskBytesMax: scans.diskMegabytes * MEGABYTE,
  };
}

async function versionOf(path: string): Promise<string> {
  try {
    return await readVersion(path);
  } catch (error) {
    throw new StartError(`${path} could not be run.`, { cause: error });
  }
}

interface ScannerServerOptions {
  port: number;
  host: string;
  registry: Registry;
  /** Whether the scanner reaches the database. */
  isReady: () => boolean;
}

/**
 * Health and metrics of a scanner, for probes and Prometheus. Returns a function that closes it.
 */
export async function serveScanner({
  port,
  host,
  registry,
  isReady,
}: ScannerServerOptions): Promise<() => void> {
  collectDefaultMetrics({ register: registry });
  const server = createServer((request, response) => {
    const send = (status: number, body: string, type = 'application/json'): void =>
      void response.writeHead(status, { 'content-type': type }).end(body);
    switch (`${request.method} ${request.url?.split('?')[0]}`) {
      case 'GET /metrics':
        return void registry.metrics().then(
          (text) => send(200, text, registry.contentType),
          () => send(500, ''),
        );
      case 'GET /health/live':
        return send(200, '{"status":"ok"}');
      case 'GET /health/ready':
        return isReady() ? send(200, '{"status":"ok"}') : send(503, '{"status":"error"}');
      default:
        return send(404, '{"status":"error"}');
    }
  });
  limitPipelining(server);
  await listenOn(server, { port, host, setting: 'SCANNER_PORT' });
  return () => {
    server.closeAllConnections();
    server.close();
  };
}
