import type { IncomingMessage, OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import helmet from 'helmet';
import type { HelmetOptions } from 'helmet';

/** A host's rules for the headers of every response, independent of the code that sends it. */
export interface HeaderRules {
  /** The value to send for a header, whose name is in lower case; null: none. */
  rewrite(name: string, value: OutgoingHttpHeader): OutgoingHttpHeader | null;
  /** Headers to add, name and value alternating, given the names of the others. */
  add(sent: readonly string[]): string[];
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Applies rules once all headers of a response are set and before any is sent. */
export function applyHeaderRules(response: ServerResponse, rules: HeaderRules): void {
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    reason: string | undefined,
    headers: OutgoingHttpHeader[],
  ) => ServerResponse;
  response.writeHead = (status: number, reason?: string | Headers, headers?: Headers) => {
    const given = (typeof reason === 'string' ? headers : reason) ?? [];
    const sent: string[] = [];
    const flat: OutgoingHttpHeader[] = [];
    const take = (name: string, value: OutgoingHttpHeader): boolean => {
      const lower = name.toLowerCase();
      const ruled = rules.rewrite(lower, value);
      if (ruled === null) return false;
      sent.push(lower);
      flat.push(name, ruled);
      return true;
    };
    const pairs = Array.isArray(given) ? given : Object.entries(given).flat();
    // Headers set before are sent with the others.
    for (const name of response.getHeaderNames()) {
      const value = response.getHeader(name);
      response.removeHeader(name);
      if (value !== undefined && !hasName(pairs, name)) take(name, value);
    }
    for (let at = 0; at + 1 < pairs.length; at += 2) {
      const value = pairs[at + 1];
      if (value !== undefined) take(String(pairs[at]), value);
    }
    flat.push(...rules.add(sent));
    return writeHead(status, typeof reason === 'string' ? reason : undefined, flat);
  };
}

/** Like `writeHead`: a header given there replaces the one set before. */
function hasName(pairs: readonly (OutgoingHttpHeader | undefined)[], name: string): boolean {
  return pairs.some((value, at) => at % 2 === 0 && String(value).toLowerCase() === name);
}

/** Credentials of the customer's visitors for the customer's own site. */
const CREDENTIALS = ['cookie', 'authorization', 'proxy-authorization'];

/**
 * Removes headers meant for the customer's site from a request to the customer's host, before they
 * are read or logged.
 */
export function dropForeignHeaders(request: IncomingMessage, others: readonly string[] = []): void {
  const { headers } = request;
  const dropped = [...CREDENTIALS, ...others].filter((name) => headers[name] !== undefined);
  if (dropped.length === 0) return;
  const kept: string[] = [];
  const { rawHeaders } = request;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!dropped.includes(name.toLowerCase())) kept.push(name, value);
  }
  for (const name of dropped) delete headers[name];
  request.rawHeaders = kept;
}

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
