import type { FieldProblem } from '../../errors/field-problem.js';
import {
  type EndpointExceptions,
  hostAndPort,
  HOSTNAME_CHARACTERS_MAX,
  isAddressAllowed,
  isPrivateName,
  literalAddress,
} from '../../network/address-policy.js';

/** Longest endpoint URL, in characters (design §6.5). */
export const ENDPOINT_URL_CHARACTERS_MAX = 2048;
/** For schemas: https without blanks, backslashes and a fragment; `judgeEndpointUrl` checks the rest. */
export const ENDPOINT_URL_PATTERN = String.raw`^[Hh][Tt][Tt][Pp][Ss]:[^\s\\#]+$`;

/** Longest host name and longest label in DNS, in octets (RFC 1035 §2.3.4). */
const LABEL_OCTETS_MAX = 63;
/** Characters of DNS names in practice; the URL parser accepts many more, such as `*`. */
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/** `not_public`: the host is not a public one. `malformed`: the URL is invalid. */
export type EndpointJudgement =
  | { kind: 'allowed'; url: URL }
  | { kind: 'refused'; cause: 'malformed' | 'not_public'; reason: string; problem: FieldProblem };

/**
 * Judges an endpoint URL by its text: at save, at Test and before each attempt (design §6.5). The
 * sender resolves names and checks every address with `isAddressAllowed`. The reason is a sentence
 * for the owner and repeats nothing of the URL.
 */
export function judgeEndpointUrl(text: string, exceptions: EndpointExceptions): EndpointJudgement {
  if (text.length > ENDPOINT_URL_CHARACTERS_MAX)
    return malformed(`The endpoint URL can have at most ${ENDPOINT_URL_CHARACTERS_MAX} characters.`, {
      code: 'length',
      max: ENDPOINT_URL_CHARACTERS_MAX,
    });
  // The URL parser silently drops or repairs these; the stored URL must be the one entered.
  if (!/^[^\s\\\p{Cc}]+$/u.test(text) || !text.isWellFormed() || !URL.canParse(text))
    return malformed('The endpoint URL is not a valid URL.', { code: 'url_malformed' });
  const url = new URL(text);
  if (url.protocol !== 'https:')
    return malformed('The endpoint URL must start with https://.', { code: 'url_not_https' });
  if (url.username !== '' || url.password !== '' || /^https:\/*[^/?#]*@/i.test(text))
    return malformed('The endpoint URL must not contain a user name or password. Use the bearer token.', {
      code: 'url_with_credentials',
    });
  if (text.includes('#'))
    return malformed('The endpoint URL must not contain a fragment (#).', { code: 'url_with_fragment' });
  if (url.port === '0')
    return malformed('The port of the endpoint URL must be between 1 and 65535.', { code: 'url_port' });
  return judgeHost(url, exceptions);
}

function judgeHost(url: URL, exceptions: EndpointExceptions): EndpointJudgement {
  if (exceptions.targets.has(hostAndPort(url))) return { kind: 'allowed', url };
  // The parser normalizes every notation of an address (hex, octal, one number, full-width).
  const address = literalAddress(url.hostname);
  if (address !== null)
    return isAddressAllowed(address, exceptions)
      ? { kind: 'allowed', url }
      : notPublic('The endpoint URL points to an address that is not public.');
  const labels = url.hostname.split('.');
  if (labels.includes(''))
    return malformed('The host of the endpoint URL has an empty part. Remove the trailing or double dot.', {
      code: 'host_malformed',
    });
  const misspelt = problemOfName(labels);
  if (misspelt) return malformed(misspelt, { code: 'host_malformed' });
  if (isPrivateName(url.hostname))
    return notPublic(
      'The host of the endpoint URL must be publicly reachable, such as consents.example.com.',
    );
  return { kind: 'allowed', url };
}

/** Why DNS cannot contain this name, as a sentence; null: it can. */
function problemOfName(labels: string[]): string | null {
  // The parser has converted other alphabets to ASCII (punycode), which DNS limits apply to.
  if (labels.join('.').length > HOSTNAME_CHARACTERS_MAX)
    return `The host of the endpoint URL can have at most ${HOSTNAME_CHARACTERS_MAX} characters.`;
  if (labels.some((label) => label.length > LABEL_OCTETS_MAX))
    return `Each part of the host of the endpoint URL can have at most ${LABEL_OCTETS_MAX} characters.`;
  return labels.every((label) => LABEL.test(label))
    ? null
    : 'The host of the endpoint URL can contain only letters, digits, and hyphens. Wildcards (*) are not allowed.';
}

function malformed(reason: string, problem: FieldProblem): EndpointJudgement {
  return { kind: 'refused', cause: 'malformed', reason, problem };
}

function notPublic(reason: string): EndpointJudgement {
  return { kind: 'refused', cause: 'not_public', reason, problem: { code: 'host_not_public' } };
}

/** Whose choice an endpoint is: its project's, or that of the request that named it. */
export type TargetKind = 'project' | 'legacy';
