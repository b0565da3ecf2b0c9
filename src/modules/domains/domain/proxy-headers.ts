import { isIP } from 'node:net';
import { BRAND } from '../../shared/brand.js';

/** Headers of a customer's proxy; those of the visitor are believed only with a valid secret. */
export const PROXY_SECRET_HEADER = `x-${BRAND.toLowerCase()}-proxy-secret`;
const ADDRESS_HEADER = `x-${BRAND.toLowerCase()}-visitor-address`;
const COUNTRY_HEADER = `x-${BRAND.toLowerCase()}-visitor-country`;
const SUBDIVISION_HEADER = `x-${BRAND.toLowerCase()}-visitor-subdivision`;

const HOST_CHARACTERS_MAX = 253;
const HOST = /^(?=.*[a-z])[a-z0-9-]+(\.[a-z0-9-]+)*$/;
const PREFIX_CHARACTERS_MAX = 200;
const PREFIX = /^(\/[\w.~-]+)+$/;

/** As Node parses them: names in lower case. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** What a proxy says about the visitor and the address that the browser asked. */
export interface ProxyHeaders {
  address: string | null;
  host: string | null;
  prefix: string;
  country: string | undefined;
  subdivision: string | undefined;
}

/** Reads the headers of a proven proxy; what is malformed is not known. */
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
  return host.length <= HOST_CHARACTERS_MAX && HOST.test(host) ? host : null;
}

function forwardedPrefix(headers: Headers): string {
  const prefix = (single(headers['x-forwarded-prefix']) ?? '').trim().replace(/\/$/, '');
  return prefix.length <= PREFIX_CHARACTERS_MAX && PREFIX.test(prefix) ? prefix : '';
}

const single = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
