import { DOMAIN_ERROR_STATUS } from '../../src/platform/errors/domain-error.js';
import { complaintOf, isOAuthError, type RawAnswer } from '../support/fakes/raw-request.js';
import type { FuzzRequest } from './requests.js';
import { SECRET_MARK } from './values.js';

/** Codes of refusals that no handler makes, with their status. */
const PROTOCOL_STATUS: Record<string, number> = { headers_too_large: 431, expectation_failed: 417 };
/** Headers of every response. */
const HEADERS_ALWAYS = ['x-content-type-options', 'content-security-policy', 'referrer-policy'];
const API_KEY = /ck_[\w-]{43}/;
/** The shortest that a word must be to be compared with the session tokens. */
const WORD = /[A-Za-z0-9]{24,}/g;

/** Finds secrets of a run in places where they must not be. */
export class SecretWatch {
  private readonly fixed: [string, string][];
  private readonly words = new Set<string>();

  /** `fixed`: name and value of the operator's secrets. */
  constructor(fixed: [string, string][]) {
    this.fixed = fixed;
  }

  /** A session's token: the part of the cookie before the signature. */
  addSession(setCookie: string): void {
    const token = decodeURIComponent(setCookie.split(';')[0]?.split('=')[1] ?? '').split('.')[0] ?? '';
    if (token.length >= 24) this.words.add(token);
  }

  /** A token that the service has made up. */
  addToken(token: string): void {
    this.fixed.push(['a made-up bearer token', token]);
  }

  get sessionCount(): number {
    return this.words.size;
  }

  /** The names of the secrets in the text. */
  findIn(text: string): string[] {
    const found = this.fixed.filter(([, secret]) => text.includes(secret)).map(([name]) => name);
    if (text.includes(SECRET_MARK)) found.push('a password or bearer token that was sent');
    if (API_KEY.test(text)) found.push('an API key');
    for (const [word] of text.matchAll(WORD)) if (this.words.has(word)) found.push('a session');
    return found;
  }
}

/** The problem of a response; null: none. */
export function complaintAbout(request: FuzzRequest, answer: RawAnswer, watch: SecretWatch): string | null {
  if (isOAuthError(request.operation, answer)) return complaintAboutSecrets(request, answer, watch);
  const basic = complaintOf(request, answer, request.operation.statuses.includes(503) ? undefined : 'none');
  if (basic !== null) return basic;
  const missing = HEADERS_ALWAYS.find((name) => answer.headers[name] === undefined);
  if (missing) return `${answer.status} without ${missing}`;
  return complaintAboutStatus(request, answer) ?? complaintAboutSecrets(request, answer, watch);
}

function complaintAboutStatus(request: FuzzRequest, { status, headers, text }: RawAnswer): string | null {
  const { operation, method } = request;
  const code = status < 400 || method === 'HEAD' ? '' : String((JSON.parse(text) as { code: unknown }).code);
  if (headers['x-request-id'] === undefined && !['OPTIONS', 'HEAD'].includes(method)) {
    return `${status} ${code} without x-request-id`;
  }
  if (code !== '') {
    const expected: Record<string, number> = { ...DOMAIN_ERROR_STATUS, ...PROTOCOL_STATUS };
    return expected[code] === status ? null : `${status} with the code ${code}, which is ${expected[code]}`;
  }
  const isOwn = method === operation.method && request.path === operation.path;
  if (status >= 400 || !isOwn || operation.statuses.includes(status)) return null;
  if (status === 304 && request.headers['if-none-match'] !== undefined) return null;
  // An operation that lists no success has the usual one.
  if (status === 200 && operation.statuses.every((each) => each >= 400)) return null;
  return `${status}, which the document does not name`;
}

function complaintAboutSecrets(
  { operation, method }: FuzzRequest,
  { status, headers, text }: RawAnswer,
  watch: SecretWatch,
): string | null {
  for (const cookie of headers['set-cookie'] ?? []) watch.addSession(cookie);
  const told = Object.entries(headers).filter(([name]) => name !== 'set-cookie');
  const shownOnce =
    method === 'POST' &&
    ((operation.path.endsWith('/api-keys') && status === 201) ||
      (operation.path.endsWith('/rotate') && status === 200) ||
      (/\/forwarding\/(token|signing-secret)$/.test(operation.path) && status === 200));
  if (shownOnce && operation.path.includes('/forwarding/')) {
    const { bearerToken, signingSecret } = JSON.parse(text) as Record<string, string | undefined>;
    watch.addToken(bearerToken ?? signingSecret ?? '');
  }
  const found = watch.findIn(JSON.stringify(told) + (shownOnce ? '' : text));
  return found.length > 0 ? `${status} tells ${found.join(', ')}: ${text}` : null;
}
