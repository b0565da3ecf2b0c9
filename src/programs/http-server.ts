import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { StartError } from './start-error.js';

/** How long a stopping process waits for the requests under way: as long as an ingest may wait for its database. */
const REQUEST_GRACE_MS = 5_000;

/** How long the parts of the application may take to close, once what was under way is written. */
const CLOSE_GRACE_MS = 3_000;

/** Listens and returns the port, which the system has chosen where 0 was asked for. */
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
 * Takes no more requests, answers those under way, and then closes the application. A client that does not
 * end its request is cut off, so that no other request waits for it.
 */
export async function close(app: NestExpressApplication, shutdownDelayMs: number): Promise<void> {
  const server: Server = app.getHttpServer();
  const { ReadinessChecks } = await import('../operations/application/readiness.js');
  app.get(ReadinessChecks, { strict: false }).leave();
  // A load balancer checks readiness periodically and keeps sending requests until the next check.
  if (server.listening && shutdownDelayMs > 0) await sleep(shutdownDelayMs);
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
  // Loaded with the application, never before the settings were checked.
  const { OutboxDispatcher } = await import('../outbox/application/outbox.dispatcher.js');
  await app.get(OutboxDispatcher, { strict: false }).beforeApplicationShutdown();
  // What is left are leases, which run out, and connections, which the process's end closes as well: one to a
  // server that is away must not hold it up.
  await Promise.race([app.close(), sleep(CLOSE_GRACE_MS)]);
}
