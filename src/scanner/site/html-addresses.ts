import sax from 'sax';
import { cut } from '../../modules/scans/domain/observation.js';

/** Limit of a page's text that is read. Almost all pages are shorter, and a longer one may not hold up other scans. */
export const HTML_CHARACTERS_MAX = 2_000_000;
/** Addresses of one page, each once. */
export const HTML_ADDRESSES_MAX = 200;
/** Elements inside each other, as in browsers: an end tag is looked up among all of them. */
const HTML_DEPTH_MAX = 512;
/** Content of these is not requested. */
const INERT = new Set(['template', 'noscript']);
/** Scripts of other types wait. */
const SCRIPT_TYPE = /^(|module|(text|application)\/(x-)?(java|ecma)script)$/i;

type Attributes = Record<string, string>;
type Requested = [value: string | undefined, directive: FetchDirective];

/** Attributes with addresses that a browser requests while parsing, by element. Links by their `rel`. */
const ELEMENTS: Record<string, (attributes: Attributes) => Requested[]> = {
  script: ({ src, type = '' }) => (SCRIPT_TYPE.test(type.trim()) ? [[src, 'script-src-elem']] : []),
  iframe: ({ src }) => [[src, 'frame-src']],
  img: ({ src, srcset }) => [[src, 'img-src'], ...candidates(srcset)],
  source: ({ src, srcset }) => [[src, 'media-src'], ...candidates(srcset)],
  input: ({ src, type }) => (type?.toLowerCase() === 'image' ? [[src, 'img-src']] : []),
  video: ({ src, poster }) => [
    [src, 'media-src'],
    [poster, 'img-src'],
  ],
  audio: ({ src }) => [[src, 'media-src']],
  embed: ({ src }) => [[src, 'object-src']],
  object: ({ data }) => [[data, 'object-src']],
  link: ({ href, rel = '', as = '' }) =>
    rel
      .toLowerCase()
      .split(/\s+/)
      .flatMap((each): Requested[] => {
        const directive = each === 'preload' ? (PRELOADED[as.toLowerCase()] ?? 'connect-src') : LINKED[each];
        return directive ? [[href, directive]] : [];
      }),
};
const LINKED: Record<string, FetchDirective> = {
  stylesheet: 'style-src-elem',
  icon: 'img-src',
  modulepreload: 'script-src-elem',
  prefetch: 'connect-src',
};
const PRELOADED: Record<string, FetchDirective> = {
  script: 'script-src-elem',
  style: 'style-src-elem',
  image: 'img-src',
  font: 'font-src',
};

const candidates = (srcset = ''): Requested[] =>
  srcset.split(',').map((candidate) => [candidate.trim().split(/\s/)[0], 'img-src']);

/**
 * Hosts and paths of other hosts that a page's own HTML makes a browser request, and that neither a policy of the response
 * nor one of a `<meta>` before them stops.
 */
export function htmlAddresses(html: string, address: string, policies: readonly string[]): string[] {
  const page = new URL(address);
  const enforced = [...policies];
  const found = new Set<string>();
  let base = address;
  let inert = 0;
  let depth = 0;
  const parser = sax.parser(false, { lowercase: true });
  parser.onerror = () => void parser.resume();
  parser.onopentag = (tag) => {
    const { name } = tag;
    const attributes = tag.attributes as Attributes;
    depth += 1;
    if (depth > HTML_DEPTH_MAX) throw new Error('The elements of the page are nested too deep.');
    if (INERT.has(name)) inert += 1;
    if (inert > 0 || found.size >= HTML_ADDRESSES_MAX) return;
    if (name === 'base' && URL.canParse(attributes['href'] ?? '', address))
      base = new URL(attributes['href'] ?? '', address).href;
    if (name === 'meta' && attributes['http-equiv']?.toLowerCase() === 'content-security-policy')
      enforced.push(attributes['content'] ?? '');
    for (const request of requestsOf(name, attributes, { base, page }))
      if (!enforced.some((policy) => policyStops(policy, page, request)))
        found.add(cut(`${request.target.host}${request.target.pathname}`));
  };
  parser.onclosetag = (name) => {
    depth -= 1;
    if (INERT.has(name)) inert -= 1;
  };
  try {
    // In the parser, nothing follows the end of the first element, and end tags of scripts have small letters.
    const text = html.slice(0, HTML_CHARACTERS_MAX).replaceAll(/<\/script/gi, '</script');
    parser.write(`<page>${text}`).close();
  } catch {
    // What precedes an error counts.
  }
  return [...found].slice(0, HTML_ADDRESSES_MAX);
}

/** The requests of an element to other hosts. */
function requestsOf(
  name: string,
  attributes: Attributes,
  { base, page }: { base: string; page: URL },
): ElementRequest[] {
  const nonce = attributes['nonce'] ?? null;
  return (ELEMENTS[name]?.(attributes) ?? []).flatMap(([value, directive]) => {
    const target = otherHost(value, base, page);
    return target ? [{ directive, target, nonce }] : [];
  });
}

/** null: it is of the page's own host, or no web address. */
function otherHost(value: string | undefined, base: string, page: URL): URL | null {
  if (!value || !URL.canParse(value, base)) return null;
  const url = new URL(value, base);
  return /^https?:$/.test(url.protocol) && url.hostname !== page.hostname ? url : null;
}

/** A directive for each way in which HTML requests something. */
type FetchDirective =
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
interface ElementRequest {
  directive: FetchDirective;
  target: URL;
  /** null: it has none. */
  nonce: string | null;
}

/** Whether a policy stops a request of HTML to another host (Content Security Policy Level 3, without hashes). */
function policyStops(policy: string, page: URL, { directive, target, nonce }: ElementRequest): boolean {
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
