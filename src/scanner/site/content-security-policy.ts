/** A directive for each way in which HTML requests something. */
export type FetchDirective =
  | 'script-src-elem'
  | 'style-src-elem'
  | 'img-src'
  | 'frame-src'
  | 'media-src'
  | 'object-src'
  | 'font-src'
  | 'connect-src';

/** Where a directive is missing, the next one decides. */
const FALLBACKS: Partial<Record<FetchDirective, string>> = {
  'script-src-elem': 'script-src',
  'style-src-elem': 'style-src',
  'frame-src': 'child-src',
};
const HOST_SOURCE = /^(?:([a-z][a-z0-9+.-]*):\/\/)?(\*|(?:\*\.)?[^:/*]+)(?::(\d+|\*))?(\/[^?#]*)?$/i;
const DEFAULT_PORTS: Record<string, string> = { 'http:': '80', 'https:': '443' };

/** An element of a page that requests an address of another host. */
export interface ElementRequest {
  directive: FetchDirective;
  target: URL;
  /** null: it has none. */
  nonce: string | null;
}

/** Whether a policy stops a request of HTML to another host (Content Security Policy Level 3, without hashes). */
export function policyStops(
  policy: string,
  page: URL,
  { directive, target, nonce }: ElementRequest,
): boolean {
  const directives = parse(policy);
  const fallback = FALLBACKS[directive];
  const sources =
    directives.get(directive) ?? (fallback && directives.get(fallback)) ?? directives.get('default-src');
  if (!sources) return false;
  const isScript = directive === 'script-src-elem';
  const hasNonce = nonce !== null && sources.includes(`'nonce-${nonce}'`);
  if (hasNonce && (isScript || directive === 'style-src-elem')) return false;
  // Then only scripts with a nonce run.
  if (isScript && sources.includes("'strict-dynamic'")) return true;
  return !sources.some((source) => allows(source, page, target));
}

/** Of equal directives, the first one counts. */
function parse(policy: string): Map<string, string[]> {
  const directives = new Map<string, string[]>();
  for (const text of policy.split(';')) {
    const [name = '', ...sources] = text.trim().split(/\s+/);
    if (!directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources);
  }
  return directives;
}

function allows(source: string, page: URL, target: URL): boolean {
  if (source === '*') return true;
  if (/^https?:$/i.test(source)) return isScheme(source.toLowerCase(), target.protocol);
  const [, scheme, host = '', port, path] = HOST_SOURCE.exec(source) ?? [];
  return (
    isScheme(scheme === undefined ? page.protocol : `${scheme.toLowerCase()}:`, target.protocol) &&
    isHost(host.toLowerCase(), target.hostname) &&
    isPort(port, target) &&
    (path === undefined || (path.endsWith('/') ? target.pathname.startsWith(path) : target.pathname === path))
  );
}

/** A source of http also allows https. */
const isScheme = (allowed: string, protocol: string): boolean =>
  allowed === protocol || (allowed === 'http:' && protocol === 'https:');

const isHost = (pattern: string, hostname: string): boolean =>
  pattern === '*' || (pattern.startsWith('*.') ? hostname.endsWith(pattern.slice(1)) : hostname === pattern);

function isPort(allowed: string | undefined, { port, protocol }: URL): boolean {
  const actual = port === '' ? DEFAULT_PORTS[protocol] : port;
  if (allowed === undefined) return actual === DEFAULT_PORTS[protocol];
  return allowed === '*' || allowed === actual || (allowed === '80' && actual === '443');
}
