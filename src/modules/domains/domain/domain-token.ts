import { createHmac } from 'node:crypto';

const PURPOSE = 'custom domain';
/** Hex digits: 128 bits, which fit into a DNS label. */
const TOKEN_LENGTH = 32;
const CHALLENGE_LABEL = '_service-challenge';

/** The token that DNS must contain for this pair; it differs for other projects and hostnames. */
export function domainToken(pair: { projectId: string; hostname: string }, key: Buffer): string {
  return createHmac('sha256', key)
    .update(`${PURPOSE}\0${pair.projectId}\0${pair.hostname}`)
    .digest('hex')
    .slice(0, TOKEN_LENGTH);
}

/** A record that proves control; one of the two is enough. */
export interface DomainRecord {
  type: 'CNAME' | 'TXT';
  name: string;
  value: string;
}

export function expectedRecords(
  { hostname, token }: { hostname: string; token: string },
  target: string,
): { cname: DomainRecord; txt: DomainRecord } {
  return {
    cname: { type: 'CNAME', name: hostname, value: `${token}.${target}` },
    txt: { type: 'TXT', name: `${CHALLENGE_LABEL}.${hostname}`, value: token },
  };
}
