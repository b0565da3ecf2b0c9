import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { sendProblem } from './problem.filter.js';

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/**
 * Refuses a body whose type no parser handled: 415. Mounted after the parsers. `isReadByRoute`: the route reads the body
 * itself.
 */
export function refuseOtherMediaTypes(isReadByRoute: (request: Request) => boolean): RequestHandler {
  return (request: Request, response: Response, next: NextFunction): void => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    const taken = request.body !== undefined;
    if (!METHODS_WITH_BODY.has(request.method) || !hasBody || taken || isReadByRoute(request)) return next();
    sendProblem(request, response, {
      status: 415,
      code: 'unsupported_media_type',
      detail: 'Send the body as application/json.',
    });
  };
}

/** The used part of Express' router, which has no API for the methods of a path. */
export interface RouterLayer {
  route?: { path: string; methods: Record<string, boolean | undefined> };
  match(path: string): boolean;
}

/**
 * Refuses a method that the path does not have, although it has others: 405 with `Allow`. Mounted
 * before the routes.
 */
export function refuseOtherMethods(layers: () => RouterLayer[]): RequestHandler {
  return (request, response, next) => {
    const methods = methodsOf(layers(), request.path);
    if (methods.size === 0 || methods.has(request.method)) return next();
    const allow = [...methods].toSorted().join(', ');
    sendProblem(request, response, {
      status: 405,
      code: 'method_not_allowed',
      detail: `This path supports the methods ${allow}.`,
      allow,
    });
  };
}

/**
 * The methods of the most literal path that matches: `…/consents/export` is not an id of
 * `…/consents/:consentId`, so `DELETE` is not allowed there.
 */
function methodsOf(layers: RouterLayer[], path: string): Set<string> {
  const routes = layers.flatMap((layer) => {
    // A route for every method precedes all others, and is not part of the API.
    const isOurs = layer.route && !layer.route.methods._all && !layer.route.methods.trace;
    return isOurs && layer.route && matches(layer, path) ? [layer.route] : [];
  });
  const fewest = Math.min(...routes.map((route) => parametersIn(route.path)));
  const methods = new Set(
    routes
      .filter((route) => parametersIn(route.path) === fewest)
      .flatMap((route) => Object.keys(route.methods).filter((method) => route.methods[method]))
      .map((method) => method.toUpperCase()),
  );
  return methods.has('GET') ? methods.add('HEAD') : methods;
}

function parametersIn(path: string): number {
  return path.match(/[:*]/g)?.length ?? 0;
}

/** A path with invalid percent-encoding matches nothing; the router refuses it later. */
function matches(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
