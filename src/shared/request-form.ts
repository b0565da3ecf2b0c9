import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { sendProblem } from './problem.filter.js';

const METHODS_WITH_BODY = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** Refuses a body that no parser took because of its type: 415. Mounted behind the parsers. */
export function refuseOtherMediaTypes(request: Request, response: Response, next: NextFunction): void {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  const taken = request.body !== undefined;
  if (!METHODS_WITH_BODY.has(request.method) || !hasBody || taken) return next();
  sendProblem(request, response, {
    status: 415,
    code: 'unsupported_media_type',
    detail: 'Send the body as application/json.',
  });
}

/** What this uses of Express' router, which has no other way to ask which methods a path knows. */
export interface RouterLayer {
  route?: { methods: Record<string, boolean | undefined> };
  match(path: string): boolean;
}

/** Refuses a method that the path does not know, though it knows others: 405 with `Allow`. Mounted ahead of the routes. */
export function refuseOtherMethods(layers: () => RouterLayer[]): RequestHandler {
  return (request, response, next) => {
    const methods = new Set<string>();
    for (const layer of layers()) {
      if (!layer.route || !matches(layer, request.path)) continue;
      // A route for every method is no route of ours but something in front of them all.
      if (layer.route.methods._all || layer.route.methods.trace) continue;
      for (const [method, known] of Object.entries(layer.route.methods))
        if (known) methods.add(method.toUpperCase());
    }
    if (methods.has('GET')) methods.add('HEAD');
    if (methods.size === 0 || methods.has(request.method)) return next();
    const allow = [...methods].toSorted().join(', ');
    sendProblem(request, response, {
      status: 405,
      code: 'method_not_allowed',
      detail: `This path knows the methods ${allow}.`,
      allow,
    });
  };
}

/** A path that is no valid percent-encoding matches nothing; the router refuses it later. */
function matches(layer: RouterLayer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
