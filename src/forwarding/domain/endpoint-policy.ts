import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { FieldProblem } from '../../shared/field-problem.js';

/** Longest endpoint URL, in characters (design §6.5). */
export const ENDPOINT_URL_CHARACTERS_MAX = 2048;

const HTTPS_PORT = '443';
/** IPv6 hands out global addresses from this block alone (RFC 4291 §2.4). */
const GLOBAL_IPV6: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse('2000::'), 3];
/** Longest host name and longest label that DNS can carry, in octets (RFC 1035 §2.3.4). */
const HOST_OCTETS_MAX = 253;
const LABEL_OCTETS_MAX = 63;
/** What a name of the DNS consists of in practice; the URL parser lets far more through, `*` among it. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;
/** Names that never lead out of a machine or a private network. */
const PRIVATE_NAMES = ['localhost', 'local', 'internal'];

/** What an operator lets owners reach although it is not public. */
export interface EndpointExceptions {
  /** `host:port`, as in the URL, lower case. */
  targets: ReadonlySet<string>;
  ranges: readonly [ipaddr.IPv4 | ipaddr.IPv6, number][];
}

/** `not_public` says that the host is refused for where it leads, `malformed` that the URL itself is wrong. */
export type EndpointJudgement =
  | { kind: 'allowed'; url: URL }
  | { kind: 'refused'; cause: 'malformed' | 'not_public'; reason: string; problem: FieldProblem };

/**
 * Judges an endpoint URL by its text alone: at save, at Test and before each attempt (design §6.5). Names are
 * resolved by the sender, which judges every address with `isAddressAllowed`.
 * The reason is a sentence for the owner and repeats nothing of the URL.
 */
export function judgeEndpointUrl(text: string, exceptions: EndpointExceptions): EndpointJudgement {
  if (text.length > ENDPOINT_URL_CHARACTERS_MAX) {
    return malformed(`The endpoint URL can have at most ${ENDPOINT_URL_CHARACTERS_MAX} characters.`, {
      code: 'length',
      max: ENDPOINT_URL_CHARACTERS_MAX,
    });
  }
  // The URL parser drops or repairs these silently; what is stored must be what is meant.
  if (!/^[^\s\\\p{Cc}]+$/u.test(text) || !text.isWellFormed() || !URL.canParse(text)) {
    return malformed('The endpoint URL is not a valid URL.', { code: 'url_malformed' });
  }
  const url = new URL(text);
  if (url.protocol !== 'https:')
    return malformed('The endpoint URL must start with https://.', { code: 'url_not_https' });
  if (url.username !== '' || url.password !== '' || /^https:\/*[^/?#]*@/i.test(text)) {
    return malformed('The endpoint URL must not contain a user name or password. Use the bearer token.', {
      code: 'url_with_credentials',
    });
  }
  if (text.includes('#'))
    return malformed('The endpoint URL must not contain a fragment (#).', { code: 'url_with_fragment' });
  if (url.port === '0')
    return malformed('The port of the endpoint URL must be between 1 and 65535.', { code: 'url_port' });
  return judgeHost(url, exceptions);
}

function judgeHost(url: URL, exceptions: EndpointExceptions): EndpointJudgement {
  if (exceptions.targets.has(targetOf(url))) return { kind: 'allowed', url };
  // The parser has turned every notation of an address (hex, octal, one number, full-width) into one.
  const address = literalAddress(url.hostname);
  if (address !== null) {
    return isAddressAllowed(address, exceptions)
      ? { kind: 'allowed', url }
      : notPublic('The endpoint URL points to an address that is not public.');
  }
  const labels = url.hostname.split('.');
  if (labels.includes('')) {
    return malformed('The host of the endpoint URL has an empty part. Remove the trailing or double dot.', {
      code: 'host_malformed',
    });
  }
  const misspelt = problemOfName(labels);
  if (misspelt) return malformed(misspelt, { code: 'host_malformed' });
  if (PRIVATE_NAMES.includes(labels.at(-1) ?? '') || labels.length < 2) {
    return notPublic(
      'The host of the endpoint URL must be publicly reachable, such as consents.example.com.',
    );
  }
  return { kind: 'allowed', url };
}

/** What keeps a name from ever being found in the DNS, as a sentence; null where nothing does. */
function problemOfName(labels: string[]): string | null {
  // The parser has turned other alphabets into ASCII (punycode), which is what DNS counts.
  if (labels.join('.').length > HOST_OCTETS_MAX) {
    return `The host of the endpoint URL can have at most ${HOST_OCTETS_MAX} characters.`;
  }
  if (labels.some((label) => label.length > LABEL_OCTETS_MAX)) {
    return `Each part of the host of the endpoint URL can have at most ${LABEL_OCTETS_MAX} characters.`;
  }
  return labels.every((label) => LABEL.test(label))
    ? null
    : 'The host of the endpoint URL can contain only letters, digits, and hyphens. Wildcards (*) are not allowed.';
}

/** `host:port` of a URL, with the port that https implies. */
function targetOf(url: URL): string {
  return `${url.hostname}:${url.port || HTTPS_PORT}`;
}

/** The address that the host of a URL literally is, or null where it is a name. */
function literalAddress(hostname: string): string | null {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? null : bare;
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
 * Reads the entries of `FORWARDING_ALLOWED_PRIVATE_TARGETS`: `host:port`, an address or a CIDR range.
 * @throws Error that names the setting, for the start to stop on.
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
      `FORWARDING_ALLOWED_PRIVATE_TARGETS must list host:port, addresses, or CIDR ranges; "${entry}" is invalid.`,
    );
  }
  return targetOf(new URL(text));
}

function malformed(reason: string, problem: FieldProblem): EndpointJudgement {
  return { kind: 'refused', cause: 'malformed', reason, problem };
}

function notPublic(reason: string): EndpointJudgement {
  return { kind: 'refused', cause: 'not_public', reason, problem: { code: 'host_not_public' } };
}
