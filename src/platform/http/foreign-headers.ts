import type { IncomingMessage } from 'node:http';

/** Of the customer's visitors, for the customer's own site. */
const CREDENTIALS = ['cookie', 'authorization', 'proxy-authorization'];

/** Drops what a request to a customer's host carries for the customer's site, before anything reads or logs it. */
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
