import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const HTTP_PORT = '80';
const HTTPS_PORT = '443';
/** IPv6 hands out global addresses from this block alone (RFC 4291 §2.4). */
const GLOBAL_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];

/** Names that never lead out of a machine or a private network. */
const PRIVATE_NAMES = ['localhost', 'local', 'internal'];

/** What an operator lets owners reach although it is not public. */
export interface EndpointExceptions {
  /** `host:port`, as in the URL, lower case. */
  targets: ReadonlySet<string>;
  ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
}

/** Whether a name, which is no address, cannot be one of the public DNS. */
export function isPrivateName(name: string): boolean {
  const labels = name.split('.');
  return labels.length < 2 || PRIVATE_NAMES.includes(labels.at(-1) ?? '');
}

/** Whether an address may be connected to: public, or in a range that the operator allowed. */
export function isAddressAllowed(address: string, exceptions: EndpointExceptions): boolean {
  return isPublicAddress(address) || isInRange(address, exceptions);
}

function isInRange(address: string, { ranges }: EndpointExceptions): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  return ranges.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range, bits));
}

/**
 * Whether an address is unicast and reachable for everybody. Addresses that carry another one inside
 * (v4-mapped, v4-compatible, NAT64, 6to4, Teredo) are not, whatever they carry: they may lead anywhere.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv4) return true;
  return parsed.match(...GLOBAL_IPV6);
}

/**
 * Reads the entries of a list of allowed private targets: `host:port`, an address or a CIDR range.
 * @throws Error that repeats the entry. The settings have refused it before.
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
  return targetOf(new URL(text));
}

/** `host:port` of a URL, with the port that its scheme implies. */
export function targetOf(url: URL): string {
  return `${url.hostname}:${url.port || (url.protocol === 'http:' ? HTTP_PORT : HTTPS_PORT)}`;
}

/** The address that the host of a URL literally is, or null where it is a name. */
export function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
}
