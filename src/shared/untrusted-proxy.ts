import type { IncomingMessage, Server } from 'node:http';
import { Logger } from '@nestjs/common';
import ipaddr from 'ipaddr.js';
import proxyaddr from 'proxy-addr';

/**
 * Says once when requests come with `X-Forwarded-For` from an address that is not trusted. Mostly that is a proxy
 * that nobody named in TRUSTED_PROXIES, and then all visitors behind it share its limits. The address is told where
 * it is of a private network: a public one may be a visitor's.
 */
export function warnOfUntrustedProxy(server: Server, trustedProxies: string[]): void {
  const isTrusted = proxyaddr.compile(trustedProxies);
  let said = false;
  server.prependListener('request', ({ headers, socket }: IncomingMessage) => {
    if (said || headers['x-forwarded-for'] === undefined) return;
    const from = socket.remoteAddress;
    if (from === undefined || isTrusted(from, 0)) return;
    said = true;
    new Logger('Proxies').warn(
      `X-Forwarded-For came from ${nameOf(from)} that is not in TRUSTED_PROXIES, and is not believed. If it is your ` +
        'proxy, name it there: until then all visitors behind it count as one.',
    );
  });
}

function nameOf(address: string): string {
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' ? 'a public address' : `the address ${parsed.toString()}`;
}
