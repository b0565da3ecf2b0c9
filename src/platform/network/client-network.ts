import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

const NETWORK_BYTES = 8;
const SITE_BYTES = 6;

/** Networks (/64) at the full rate before the limit of their IPv6 site (/48) applies, which has 65,536 of them. */
export const NETWORKS_PER_SITE = 10;

/**
 * The unit of rate limits: an IPv4 address, or the /64 of an IPv6 address, which access providers
 * assign to one customer. A mapped address counts as its IPv4 address.
 */
export function clientNetwork(address: string): string {
  // The fast path of every consent: no parsing.
  if (isIPv4(address)) return address;
  if (!ipaddr.isValid(address)) return 'unknown';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return ipv6Prefix(parsed, NETWORK_BYTES);
}

/**
 * The IPv6 /48 of a client network, which a provider may assign to one customer (RFC 6177); null
 * for an IPv4 address.
 */
export function clientSite(network: string): string | null {
  return network.includes(':') ? ipv6Prefix(ipaddr.parse(network), SITE_BYTES) : null;
}

function ipv6Prefix(address: ipaddr.IPv4 | ipaddr.IPv6, bytes: number): string {
  return ipaddr
    .fromByteArray(address.toByteArray().map((byte, index) => (index < bytes ? byte : 0)))
    .toString();
}
