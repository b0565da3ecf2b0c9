import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

/** How helmet is set for every answer. */
export function helmetOptions(production: boolean): HelmetOptions {
  return {
    // Over plain http, as in development, a browser would look for https that is not there.
    hsts: production,
    contentSecurityPolicy: { directives: production ? {} : { upgradeInsecureRequests: null } },
  };
}

/**
 * The headers that helmet sets, name and value in turn, for a route that writes its head at once: none of them
 * depends on the request.
 */
export function securityHeaders(production: boolean): string[] {
  const headers: string[] = [];
  const recorder = {
    setHeader: (name: string, value: string) => headers.push(name, value),
    removeHeader: () => {},
  };
  helmet(helmetOptions(production))({} as IncomingMessage, recorder as unknown as ServerResponse, () => {});
  return headers;
}
