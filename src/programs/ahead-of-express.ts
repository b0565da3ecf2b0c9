import type { IncomingMessage, Server, ServerResponse } from 'node:http';

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Receives every request before anything else reads it, and calls `serve` unless it has responded. */
export interface Entrance {
  enter(request: IncomingMessage, response: ServerResponse, serve: () => void): void;
}

/** Serves a request without Express and returns true; false leaves it to the others. */
export interface DirectEndpoint {
  take(request: IncomingMessage, response: ServerResponse): boolean;
}

/** Adds `entrances` and then `endpoints`, in order, before the existing listeners of `server`. */
export function serveAheadOfExpress(
  server: Server,
  entrances: Entrance[],
  endpoints: DirectEndpoint[],
): void {
  const others = server.listeners('request') as Listener[];
  server.removeAllListeners('request');
  const serve: Listener = (request, response) => {
    if (endpoints.some((endpoint) => endpoint.take(request, response))) return;
    for (const listener of others) listener(request, response);
  };
  const first = entrances.reduceRight<Listener>(
    (next, entrance) => (request, response) =>
      entrance.enter(request, response, () => next(request, response)),
    serve,
  );
  server.on('request', first);
}
