import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import { type EndpointExceptions, isAddressAllowed } from './address-policy.js';

/**
 * Whether connecting to a name is allowed, given all its addresses: a single private one refuses
 * the name.
 */
export type AddressJudgement = 'allowed' | 'unresolved' | 'not_public';

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
