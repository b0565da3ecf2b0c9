import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';

/**
 * Whose address counts: that of the connection, or, where it is a trusted proxy, the last address in
 * `X-Forwarded-For` that is none (setting TRUSTED_PROXIES). As Express tells it on all other routes. Empty where
 * the client has hung up meanwhile.
 */
export function clientAddress(trustedProxies: string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return (request) => request.socket.remoteAddress ?? '';
  const isTrusted = proxyaddr.compile(trustedProxies);
  return (request) => (request.socket.remoteAddress === undefined ? '' : proxyaddr(request, isTrusted));
}
