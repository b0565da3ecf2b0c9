import type { IncomingMessage } from 'node:http';
import proxyaddr from 'proxy-addr';
import { firstPartyOf } from './first-party.js';

/** The client of a request. */
export interface Client {
  /** Empty if the client has disconnected. */
  address: string;
  /**
   * Whether the address is the connection's, was named by a customer's proxy with a valid secret,
   * or belongs to a proxy without one.
   */
  origin: 'connection' | 'named_by_proxy' | 'unproven_proxy';
}

/**
 * The client's address: that of the connection, or, if that is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not one (setting TRUSTED_PROXIES). The same as Express computes on all other routes. A
 * customer's proxy with a valid secret names the visitor's address itself.
 */
export function clientFinder(trustedProxies: string[]): (request: IncomingMessage) => Client {
  const addressOf = connectedAddress(trustedProxies);
  return (request) => {
    const firstParty = firstPartyOf(request);
    if (firstParty?.isProven && firstParty.address !== null)
      return { address: firstParty.address, origin: 'named_by_proxy' };
    const origin = firstParty?.isProven === false ? 'unproven_proxy' : 'connection';
    return { address: addressOf(request), origin };
  };
}

function connectedAddress(trustedProxies: string[]): (request: IncomingMessage) => string {
  if (trustedProxies.length === 0) return (request) => request.socket.remoteAddress ?? '';
  const isTrusted = proxyaddr.compile(trustedProxies);
  return (request) => (request.socket.remoteAddress === undefined ? '' : proxyaddr(request, isTrusted));
}

/**
 * The address that the client itself names in `X-Forwarded-For`, one hop behind the client's own;
 * null: it names none. Only for an authenticated proxy.
 */
export function addressBehindClient(request: IncomingMessage, trustedProxies: string[]): string | null {
  if (request.socket.remoteAddress === undefined) return null;
  const isTrusted = proxyaddr.compile(trustedProxies);
  let clientHop: number | null = null;
  const hops = proxyaddr.all(request, (address, hop) => {
    if (clientHop === null && !isTrusted(address, hop)) clientHop = hop;
    // One hop more than the client.
    return clientHop === null || hop === clientHop;
  });
  return clientHop === null ? null : (hops[clientHop + 1] ?? null);
}
