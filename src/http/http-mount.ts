import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';

/**
 * What a module puts onto the HTTP server beside its controllers. A module class that has any of these is asked by
 * app, which alone knows the order: these, as they stand here, then the API's JSON parser and the routes.
 */
export interface HttpMount {
  /** Receives every request before anything else reads it, and calls `serve` unless it has responded. */
  enterRequest?(request: IncomingMessage, response: ServerResponse, serve: () => void): void;
  /** Serves a request ahead of Express and returns true; false leaves it to the others. */
  takeRequest?(request: IncomingMessage, response: ServerResponse): boolean;
  /** Passes every request on that Express serves, refusals included, e.g. to measure it. */
  readonly aroundRoutes?: RequestHandler;
  /** Reads bodies that are no JSON of the API, for its own paths alone. */
  readonly bodyReader?: RequestHandler;
}
