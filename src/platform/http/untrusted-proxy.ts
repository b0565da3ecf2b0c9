import type { IncomingMessage, Server } from 'node:http';
import { Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';
import { firstPartyOf } from './first-party.js';

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
