import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';

/**
 * The client's address: that of the connection, or, if that is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not one (setting TRUSTED_PROXIES). The same as Express computes on all other routes. Empty
 * if the client has disconnected.
 */
export function clientAddress(trustedProxies: string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return (request) => request.socket.remoteAddress ?? '';
  const isTrusted = proxyaddr.compile(trustedProxies);
  return (request) => (request.socket.remoteAddress === undefined ? '' : proxyaddr(request, isTrusted));
}
