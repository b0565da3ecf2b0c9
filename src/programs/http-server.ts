import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StartError } from './expected-errors.js';

/**
 * How long a stopping process waits for requests in progress: the time that an ingest may wait for
 * its database.
 */
const REQUEST_GRACE_MS = 5_000;

/**
 * How long the parts of the application may take to close, after all work in progress is stored.
 */
const CLOSE_GRACE_MS = 3_000;

/** Listens and returns the port, which the system chooses for port 0. */
export async function listen(
  app: NestExpressApplication,
  port: number,
  host: string,
  setting: string,
): Promise<number> {
  await app.init();
  return listenOn(app.getHttpServer() as Server, { port, host, setting });
}

/** The same for a server. */
export async function listenOn(
  server: Server,
  { port, host, setting }: { port: number; host: string; setting: string },
): Promise<number> {
  try {
    // Not `app.listen`, which also logs the error: it is reported below, in a sentence.
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => resolve());
    });
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new StartError(
        `Port ${port} on ${host} is already in use. Stop the program that uses it, or set ${setting} to a free port.`,
        { cause },
      );
    if (code === 'EACCES')
      throw new StartError(`No permission to listen on port ${port}. Set ${setting} to a port above 1023.`, {
        cause,
      });
    if (code === 'EADDRNOTAVAIL')
      throw new StartError(`This machine has no address ${host}. Set HOST to one of its addresses.`, {
        cause,
      });
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
      throw new StartError(`Cannot resolve the host ${host}. Set HOST to an address of this machine.`, {
        cause,
      });
    throw cause;
  }
}

/**
 * Stops accepting requests, finishes the current ones, and then closes the application. A client
 * that does not finish its request is disconnected, so that it does not delay the others.
 */
export async function close(app: NestExpressApplication, shutdownDelayMs: number): Promise<void> {
  const server: Server = app.getHttpServer();
  const { ReadinessChecks } = await import('../platform/operations/application/readiness.js');
  app.get(ReadinessChecks, { strict: false }).leave();
  // A load balancer checks readiness periodically and keeps sending requests until the next check.
  if (server.listening && shutdownDelayMs > 0) await sleep(shutdownDelayMs);
  const { EventWaits } = await import('../modules/events/application/event-waits.js');
  app.get(EventWaits, { strict: false }).stop();
  const cut = setTimeout(() => server.closeAllConnections(), REQUEST_GRACE_MS);
  await new Promise((closed) => server.close(closed));
  clearTimeout(cut);
  await closeParts(app);
}

/** Closes a worker, also one that has not finished starting. */
export async function closeStarted(starting: Promise<INestApplicationContext>): Promise<void> {
  const app = await starting.catch(() => null);
  if (app) await closeParts(app);
}

async function closeParts(app: INestApplicationContext): Promise<void> {
  // Loaded with the application, only after the settings were checked.
  const { OutboxDispatcher } = await import('../platform/outbox/application/outbox.dispatcher.js');
  await app.get(OutboxDispatcher, { strict: false }).beforeApplicationShutdown();
  // What remains are leases, which expire, and connections, which close with the process: a
  // connection to an unavailable server must not delay the stop.
  await Promise.race([app.close(), sleep(CLOSE_GRACE_MS)]);
}
