import { isIP } from 'node:net';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import { BRAND } from '../../../platform/identity/brand.js';

/** Headers of a customer's proxy; headers about the visitor are trusted only with a valid secret. */
export const PROXY_SECRET_HEADER = `x-${BRAND.toLowerCase()}-proxy-secret`;
const ADDRESS_HEADER = `x-${BRAND.toLowerCase()}-visitor-address`;
const COUNTRY_HEADER = `x-${BRAND.toLowerCase()}-visitor-country`;
const SUBDIVISION_HEADER = `x-${BRAND.toLowerCase()}-visitor-subdivision`;

const HOST = /^(?=.*[a-z])[a-z0-9-]+(\.[a-z0-9-]+)*$/;
const PREFIX_CHARACTERS_MAX = 200;
const PREFIX = /^(\/[\w.~-]+)+$/;

/** As parsed by Node: names in lower case. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** The proxy's information about the visitor and the requested address. */
export interface ProxyHeaders {
  address: string | null;
  host: string | null;
  prefix: string;
  country: string | undefined;
  subdivision: string | undefined;
}

/** Reads the headers of an authenticated proxy; malformed ones are ignored. */
export function readProxyHeaders(headers: Headers): ProxyHeaders {
  const address = single(headers[ADDRESS_HEADER])?.trim() ?? '';
  return {
    address: isIP(address) === 0 ? null : address,
    host: forwardedHost(headers),
    prefix: forwardedPrefix(headers),
    country: single(headers[COUNTRY_HEADER]),
    subdivision: single(headers[SUBDIVISION_HEADER]),
  };
}

/** The first host in `X-Forwarded-Host`, without a port. */
export function forwardedHost(headers: Headers): string | null {
  const [first = ''] = (single(headers['x-forwarded-host']) ?? '').split(',');
  const host = first.trim().toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '');
  return host.length <= HOSTNAME_CHARACTERS_MAX && HOST.test(host) ? host : null;
}

function forwardedPrefix(headers: Headers): string {
  const prefix = (single(headers['x-forwarded-prefix']) ?? '').trim().replace(/\/$/, '');
  return prefix.length <= PREFIX_CHARACTERS_MAX && PREFIX.test(prefix) ? prefix : '';
}

const single = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
