import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet, { type HelmetOptions } from 'helmet';

/** helmet's options for every response. */
export function helmetOptions(production: boolean): HelmetOptions {
  return {
    // Over plain http, as in development, a browser would require https, which is not served.
    hsts: production,
    contentSecurityPolicy: { directives: production ? {} : { upgradeInsecureRequests: null } },
  };
}

/**
 * The headers that helmet sets, name and value alternating, for a route that writes its head
 * directly: none of them depends on the request.
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
