import { createHmac } from 'node:crypto';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import type { DomainMethod, DomainProblem } from './custom-domain.js';

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

/** A resolver's response; failed: no result. */
export type Lookup<Value = string> =
  { kind: 'found'; values: Value[] } | { kind: 'none' } | { kind: 'failed' };

/** The records of a host at one resolver. */
export interface HostRecords {
  cname: Lookup;
  txt: Lookup;
  /** Its A and AAAA records; read only if neither of the others exists. */
  addresses: string[];
}

/** CAs that the nearest CAA records allow; null: any, or unknown. */
export interface Caa {
  known: boolean;
  issuers: string[] | null;
}

export type DnsVerdict =
  | { kind: 'good'; method: DomainMethod }
  | { kind: 'bad'; problem: DomainProblem; found: string | null }
  | { kind: 'unclear'; problem: DomainProblem };

/** The verdict of all resolvers, which must agree to confirm or deny. */
export function judgeHost(
  answers: readonly HostRecords[],
  expected: { hostname: string; token: string; target: string },
): DnsVerdict {
  const verdicts = answers.map((records) => judgeRecords(records, expected));
  const [first] = verdicts;
  if (!first) return { kind: 'unclear', problem: 'resolvers_failed' };
  if (verdicts.every(({ kind }) => kind === first.kind)) return first;
  const hasFailed = verdicts.some(({ kind }) => kind === 'unclear');
  return { kind: 'unclear', problem: hasFailed ? 'resolvers_failed' : 'resolvers_disagree' };
}

function judgeRecords(
  { cname, txt, addresses }: HostRecords,
  expected: { hostname: string; token: string; target: string },
): DnsVerdict {
  const records = expectedRecords(expected, expected.target);
  const targets = valuesOf(cname).map(normalName);
  const texts = valuesOf(txt);
  if (targets.includes(records.cname.value)) return { kind: 'good', method: 'cname' };
  if (texts.includes(records.txt.value)) return { kind: 'good', method: 'txt' };
  if (cname.kind === 'failed' || txt.kind === 'failed')
    return { kind: 'unclear', problem: 'resolvers_failed' };
  const [target] = targets;
  const [text] = texts;
  if (target?.endsWith(`.${expected.target}`)) return bad('wrong_token', target);
  if (target !== undefined) return bad('other_target', target);
  if (text !== undefined) return bad('wrong_token', text);
  const [address] = addresses;
  if (address !== undefined) return bad('address_record', address);
  return bad('no_record', null);
}

const bad = (problem: DomainProblem, found: string | null): DnsVerdict => ({
  kind: 'bad',
  problem,
  found: found === null ? null : printable(found),
});

// oxlint-disable-next-line no-control-regex -- control characters are what this finds
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/g;

/** External input: control characters could not be stored or shown. */
const printable = (text: string): string =>
  text.toWellFormed().replace(CONTROL_CHARACTERS, '?').slice(0, HOSTNAME_CHARACTERS_MAX);

const valuesOf = (lookup: Lookup): string[] => (lookup.kind === 'found' ? lookup.values : []);
const normalName = (name: string): string => name.toLowerCase().replace(/\.$/, '');

/** The CAs that CAA records allow to issue for a hostname. An empty list: none. */
export function judgeCaa(records: readonly { issue?: string | undefined }[]): Caa {
  const issuers = records.flatMap(({ issue }) => (issue === undefined ? [] : [issue]));
  if (issuers.length === 0) return { known: true, issuers: null };
  const names = issuers.map((issue) => printable(normalName((issue.split(';')[0] ?? '').trim())));
  return { known: true, issuers: names.filter(Boolean) };
}
