import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Longest host name in DNS, in characters (RFC 1035). */
export const HOSTNAME_CHARACTERS_MAX = 253;
const HTTP_PORT = '80';
const HTTPS_PORT = '443';
/** The only block of global IPv6 addresses (RFC 4291 §2.4). */
const GLOBAL_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Names that are only resolved on a machine or in a private network. */
const PRIVATE_NAMES = ['localhost', 'local', 'internal'];

/** Private targets that the operator lets owners use. */
export interface EndpointExceptions {
  /** `host:port`, as in the URL, lower case. */
  targets: ReadonlySet<string>;
  ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
}

/** Whether a name, which is no address, cannot be in the public DNS. */
export function isPrivateName(name: string): boolean {
  const labels = name.split('.');
  return labels.length < 2 || PRIVATE_NAMES.includes(labels.at(-1) ?? '');
}

/**
 * Whether connecting to an address is allowed: it is public, or in a range that the operator
 * allowed.
 */
export function isAddressAllowed(address: string, exceptions: EndpointExceptions): boolean {
  return isPublicAddress(address) || isInRange(address, exceptions);
}

function isInRange(address: string, { ranges }: EndpointExceptions): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return ranges.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
}

/**
 * Whether an address is unicast and publicly reachable. Addresses that embed another one
 * (v4-mapped, v4-compatible, NAT64, 6to4, Teredo) are not, because the embedded one may be any
 * address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return true;
  return parsed.match(...GLOBAL_IPV6);
}

/**
 * Parses a list of allowed private targets: `host:port`, an address or a CIDR range.
 *
 * @throws Error that repeats the entry; the settings have validated it before.
 */
export function parseExceptions(entries: readonly string[]): EndpointExceptions {
  const targets = new Set<string>();
  const ranges: [ipaddr.IPv4 | ipaddr.IPv6, number][] = [];
  for (const entry of entries) {
    const range = parseRange(entry);
    if (range) ranges.push(range);
    else targets.add(parseTarget(entry));
  }
  return { targets, ranges };
}

function parseRange(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  const [address = '', bits] = entry.split('/');
  const version = isIP(address);
  if (version === 0) return null;
  return bits === undefined
    ? [ipaddr.parse(address), version === 4 ? 32 : 128]
    : ipaddr.isValidCIDR(entry)
      ? ipaddr.parseCIDR(entry)
      : null;
}

function parseTarget(entry: string): string {
  const text = `https://${entry}`;
  if (!/^[^@/?#\s]+:\d{1,5}$/.test(entry) || !URL.canParse(text)) {
    throw new Error(
      `Allowed private targets must be host:port, addresses, or CIDR ranges; "${entry}" is invalid.`,
    );
  }
  return hostAndPort(new URL(text));
}

/** `host:port` of a URL, with the port that its scheme implies. */
export function hostAndPort(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'http:' ? HTTP_PORT : HTTPS_PORT)}`;
}

/** The literal address in a URL's host, or null for a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}
