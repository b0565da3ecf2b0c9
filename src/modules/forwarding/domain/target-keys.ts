import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { getDomain } from 'tldts';

/** Kinds of counter keys: a site, or a machine. */
export const TARGET_KEY_KINDS = ['domain', 'address'] as const;
export type TargetKeyKind = (typeof TARGET_KEY_KINDS)[number];

export type TargetKey = `${TargetKeyKind} ${string}`;

/**
 * A customer of a network provider usually has a whole /64 (RFC 6177), so more addresses in it cost
 * nothing.
 */
const IPV6_SITE_BITS = 64;

/**
 * The registrable domain of a URL's hostname, by the public suffix list with the suffixes of
 * hosting companies; without one, as for an address, the host itself.
 */
export function domainKey(hostname: string): TargetKey {
  const domain = getDomain(hostname, { allowPrivateDomains: true, extractHostname: false });
  return `domain ${domain ?? hostname}`;
}

/** An IPv4 address, or the /64 of an IPv6 address. */
export function addressKey(address: string): TargetKey {
  if (isIP(address) === 0) return `address ${address}`;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return `address ${parsed.toString()}`;
  const network = parsed.parts.slice(0, IPV6_SITE_BITS / 16).map((part) => part.toString(16));
  return `address ${network.join(':')}::/${IPV6_SITE_BITS}`;
}
