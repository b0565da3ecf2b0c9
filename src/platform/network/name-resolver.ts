import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { callbackify } from 'node:util';
import { isAddressAllowed, type EndpointExceptions } from './address-policy.js';

const LOOPBACK_ADDRESSES = ['127.0.0.1', '::1'];
const QUERY_TRIES = 2;
/**
 * How long to wait for the slower address family after the first response (RFC 8305 §3 requires at
 * least 50 ms).
 */
const RESOLUTION_DELAY_MS = 250;

/**
 * Resolves names by c-ares instead of `dns.lookup`, whose four threads one slow name could block
 * for the whole process. `localhost` is no DNS name and is resolved here; the machine's hosts file
 * is not read.
 */
export class NameResolver {
  private readonly resolver: Resolver;

  /** `servers` replaces the system's name servers. */
  constructor(options: { timeoutMs: number; servers?: string[] }) {
    this.resolver = new Resolver({
      timeout: Math.ceil(options.timeoutMs / QUERY_TRIES),
      tries: QUERY_TRIES,
    });
    if (options.servers) this.useServers(options.servers);
  }

  /** Uses these servers from now on, each `address` or `address:port`. */
  useServers(servers: string[]): void {
    this.resolver.setServers(servers);
  }

  /** Every address of a name, IPv4 first; empty if it has none or is unknown. */
  async resolve(name: string): Promise<string[]> {
    if (name === 'localhost') return LOOPBACK_ADDRESSES;
    const v4 = addressesOr(this.resolver.resolve4(name));
    const v6 = addressesOr(this.resolver.resolve6(name));
    const first = await Promise.race([v4, v6]);
    // No address: the other family decides.
    if (first.length === 0) return (await Promise.all([v4, v6])).flat();
    const late = wait(RESOLUTION_DELAY_MS, [], { ref: false });
    return (await Promise.all([v4, v6].map((family) => Promise.race([family, late])))).flat();
  }
}

/** A family without records, or with a failed query, must not fail the other one. */
function addressesOr(query: Promise<string[]>): Promise<string[]> {
  return query.catch(() => []);
}

/**
 * Whether connecting to a name is allowed, given all its addresses: a single private one refuses
 * the name.
 */
type AddressJudgement = 'allowed' | 'unresolved' | 'not_public';

/**
 * Judges the resolved addresses of a name. `exempt`: its host and port are allowed with any
 * address.
 */
export function judgeAddresses(
  addresses: readonly string[],
  { exceptions, exempt }: { exceptions: EndpointExceptions; exempt: boolean },
): AddressJudgement {
  if (addresses.length === 0) return 'unresolved';
  if (exempt || addresses.every((address) => isAddressAllowed(address, exceptions))) return 'allowed';
  return 'not_public';
}

/**
 * A `lookup` for `net.connect` from a function that returns judged addresses or rejects.
 * `net.connect` connects to the returned addresses, so a name cannot resolve differently after it
 * was judged.
 */
export function asLookup(resolve: (hostname: string) => Promise<LookupAddress[]>): LookupFunction {
  const lookup = callbackify(resolve);
  return (hostname, { all }, callback) =>
    lookup(hostname, (error, found) => {
      if (error) callback(error, []);
      else if (all) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    });
}
