import type { IncomingMessage } from 'node:http';

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
