import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import type { HttpMount } from '../http/http-mount.js';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Every module, as what it may mount. */
export function findMounts(app: INestApplication): HttpMount[] {
  return [...app.get(ModulesContainer).values()].map(({ instance }) => instance as HttpMount);
}

/** Asks the modules that serve ahead of Express first; what none of them takes goes to the listeners of before. */
export function serveAheadOfExpress(server: Server, mounts: HttpMount[]): void {
  const takers = mounts.filter(({ takeRequest }) => takeRequest);
  const entrances = mounts.filter(({ enterRequest }) => enterRequest);
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    if (takers.some((taker) => taker.takeRequest?.(request, response))) return;
    for (const listener of others) listener(request, response);
  };
  const enter = entrances.reduceRight<Listener>(
    (next, entrance) => (request, response) =>
      entrance.enterRequest?.(request, response, () => next(request, response)),
    serve,
  );
  server.on('request', enter);
}
