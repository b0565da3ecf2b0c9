import { isIP } from 'node:net';
import { type DomainState, SERVING_STATES } from './custom-domain.js';
import { GOOD_FOR_MS } from './domain-life.js';

/** The format of browsers. */
const ORIGIN = /^https?:\/\/([a-z0-9.-]+)(?::\d{1,5})?$/;

/** Whether requests over the host are served. */
export const isServed = ({ state }: { state: DomainState }): boolean => SERVING_STATES.includes(state);

/**
 * Whether the edge may get a certificate: the host is served, and its records were valid within the
 * last 24 hours.
 */
export function mayGetCertificate(host: { state: DomainState; goodAt: Date | null }, now: Date): boolean {
  return isServed(host) && host.goodAt !== null && now.getTime() - host.goodAt.getTime() < GOOD_FOR_MS;
}

/** Whether a host is an address or a name without a dot, which cannot be registered. */
export function isLiteralHost(hostname: string): boolean {
  return !hostname.includes('.') || hostname.startsWith('[') || isIP(hostname) !== 0;
}

/** The host name in a `Host` header, in lower case, without port and trailing dot. */
export function hostnameIn(header: string | undefined): string {
  return (header ?? '').toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Whether pages of an origin may read responses: it is one of the project's domains, or below one. */
export function isOriginOfProject(origin: string, domains: readonly string[]): boolean {
  const hostname = ORIGIN.exec(origin)?.[1];
  return (
    hostname !== undefined && domains.some((domain) => hostname === domain || hostname.endsWith(`.${domain}`))
  );
}
