import type { IncomingMessage, Server } from 'node:http';
import { Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
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

/**
 * Logs once when requests arrive with `X-Forwarded-For` from an untrusted address. Usually that is a proxy missing
 * from TRUSTED_PROXIES, and then all visitors behind it share its limits. The address is logged only if
 * it is private: a public one may be a visitor's.
 */
export function warnOfUntrustedProxy(server: Server, trustedProxies: string[]): void {
  const isTrusted = proxyaddr.compile(trustedProxies);
  let said = false;
  server.prependListener('request', (request: IncomingMessage) => {
    const { headers, socket } = request;
    // The operator should not trust a customer's proxy.
    if (said || headers['x-forwarded-for'] === undefined || firstPartyOf(request)) return;
    const from = socket.remoteAddress;
    if (from === undefined || isTrusted(from, 0)) return;
    said = true;
    new Logger('Proxies').warn(
      `ignored X-Forwarded-For from ${nameOf(from)} that is not in TRUSTED_PROXIES. If it is your ` +
        'proxy, add it there; until then, all visitors behind it share one rate limit.',
    );
  });
}

function nameOf(address: string): string {
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' ? 'a public address' : `the address ${parsed.toString()}`;
}
