import { isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { HOSTNAME_CHARACTERS_MAX } from '../../../platform/network/address-policy.js';
import { PREVIEW_HOST_SUFFIXES, type PreviewHostClass } from './preview-host-suffixes.js';

/** A hostname with a trailing dot and a port of five digits; anything longer is not a hostname. */
const HOST_AND_PORT_CHARACTERS_MAX = HOSTNAME_CHARACTERS_MAX + 7;

/** The form of nearly all stored names. For others `normalizeHostname` takes 0.8 µs per sent record. */
const NORMAL_HOST = /^(?:[a-z][a-z0-9-]*\.)+[a-z]+$/;

const CLASS_OF_SUFFIX: ReadonlyMap<string, PreviewHostClass> = new Map(
  PREVIEW_HOST_SUFFIXES.map((host) => [host.suffix, host.class]),
);

/**
 * Whether a website builder serves previews under this host name (spec §3.2 row 1, design §6.2 step
 * 1). `ownDomains` are the project's; they exempt free subdomains, never staging hosts. An invalid
 * host name is no preview host. Never throws.
 */
export function isPreviewHost(hostname: string, ownDomains: readonly string[]): boolean {
  const host = normalizeHostname(hostname);
  if (host === null) return false;
  // One lookup per label, so the length of the list does not matter; the longest suffix decides.
  for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
    const suffix = host.slice(dot + 1);
    const hostClass = CLASS_OF_SUFFIX.get(suffix);
    if (hostClass !== undefined) return hostClass === 'staging' || !isOwn(host, suffix, ownDomains);
  }
  return false;
}

/**
 * The same rule for a browser's `location.hostname`, as a regular expression; `ownDomains` are the
 * project's domains that affect it. No suffix of the list is below one of the other class.
 */
export function previewHostPattern(ownDomains: readonly string[]): string {
  const suffixes = (classes: PreviewHostClass[]): string =>
    anyOf(PREVIEW_HOST_SUFFIXES.filter((host) => classes.includes(host.class)).map(({ suffix }) => suffix));
  if (ownDomains.length === 0) return String.raw`^.+\.${suffixes(['free_subdomain', 'staging'])}\.?$`;
  const notOwn = String.raw`(?!(?:.*\.)?${anyOf(ownDomains)}\.?$)`;
  return String.raw`^(?:${notOwn}.+\.${suffixes(['free_subdomain'])}|.+\.${suffixes(['staging'])})\.?$`;
}

/** With each last label once, because every page of a site loads the expression. */
function anyOf(hosts: readonly string[]): string {
  const byEnding = Map.groupBy(hosts, (host) => host.slice(host.lastIndexOf('.')));
  const groups = [...byEnding].map(([ending, group]) => {
    const names = group.map((host) => host.slice(0, -ending.length)).join('|');
    return `(?:${names})${ending}`;
  });
  return `(?:${groups.join('|').replaceAll('.', String.raw`\.`)})`;
}

/** A name in its normal form: labels of letters, digits, dashes and underscores. */
const LABELS = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/** Whether the text is a valid `location.hostname`, with or without a port. */
export function isHostname(text: string): boolean {
  const host = normalizeHostname(text);
  return host !== null && (isIPv6(host) || LABELS.test(host));
}

/**
 * Lower-case ASCII (punycode) form of a host name, without port and trailing dot; an IPv6 literal
 * without brackets. Null: not a host name.
 */
export function normalizeHostname(text: string): string | null {
  if (text.length <= HOSTNAME_CHARACTERS_MAX && NORMAL_HOST.test(text)) return text;
  if (text.length > HOST_AND_PORT_CHARACTERS_MAX) return null;
  const trimmed = text.trim();
  const literal = /^\[([^\]]*)\](?::\d{0,5})?$/.exec(trimmed)?.[1] ?? trimmed;
  if (isIPv6(literal)) return literal.toLowerCase();
  const host = trimmed.replace(/:\d{0,5}$/, '');
  // The function below would cut off or decode these instead of refusing them.
  if (/[/\\?#@%]/.test(host)) return null;
  // It returns '' for every other text that cannot be a URL's host: blanks, control characters, …
  const ascii = domainToASCII(host).replace(/\.$/, '');
  return ascii === '' || ascii.length > HOSTNAME_CHARACTERS_MAX ? null : ascii;
}

/**
 * Whether the host is one of the project's domains or below one. Only domains below the platform's
 * suffix count: `carrd.co` belongs to the platform, so listing it does not claim every site there.
 */
function isOwn(host: string, suffix: string, ownDomains: readonly string[]): boolean {
  return ownDomains.some((domain) => {
    const own = normalizeHostname(domain);
    if (own === null || !own.endsWith(`.${suffix}`)) return false;
    return host === own || host.endsWith(`.${own}`);
  });
}
