import type { Readable } from 'node:stream';
import { ProxyAgent, request } from 'undici';
import type { GuardedProxy } from '../browser/guarded-proxy.js';

/** Redirects that are followed (RFC 9309 §2.3.1.2). */
const REDIRECTS_MAX = 5;
/** Codes of a certificate that is not accepted; a visit of a page has the same result. */
const CERTIFICATE_ERROR = /^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;

/** How a file of a site was read. `unreachable`: there was no connection. `refused`: a redirect led elsewhere. */
export type SiteFile<T> =
  | { kind: 'response'; status: number; content: T }
  | { kind: 'too_many_redirects' }
  | { kind: 'refused' }
  | { kind: 'unreachable' }
  | { kind: 'failed' };

export interface ReadRules<T> {
  timeoutMs: number;
  /** Ends the request early. */
  signal: AbortSignal;
  /** Whether a redirect to the address is followed. */
  mayRead: (url: string) => boolean;
  /** Reads as much of the body as it needs. It is closed afterwards. */
  read: (body: Readable) => Promise<T>;
}

/** Reads files of sites, such as robots.txt, through the proxy of the browser: with its rules and its limits. */
export class SiteFileReader {
  constructor(
    private readonly proxy: GuardedProxy,
    private readonly options: { port: number; userAgent: string },
  ) {}

  async get<T>(url: string, rules: ReadRules<T>): Promise<SiteFile<T>> {
    const signal = AbortSignal.any([rules.signal, AbortSignal.timeout(rules.timeoutMs)]);
    // For one file: the proxy cuts connections between pages, and a connection that is cut must not be used again.
    const agent = new ProxyAgent({ uri: `http://127.0.0.1:${this.options.port}` });
    let target = url;
    this.proxy.openPage();
    try {
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
        const { statusCode, headers, body } = await request(target, {
          dispatcher: agent,
          signal,
          headers: { 'user-agent': this.options.userAgent, 'accept-encoding': 'identity' },
        });
        const location = [headers['location'] ?? ''].flat()[0] ?? '';
        const next =
          isRedirect(statusCode) && URL.canParse(location, target) && new URL(location, target).href;
        if (typeof next !== 'string') {
          const content = await rules.read(body).finally(() => body.destroy());
          return { kind: 'response', status: statusCode, content };
        }
        body.on('error', () => {}).destroy();
        if (!/^https?:/.test(next) || !rules.mayRead(next)) return { kind: 'refused' };
        target = next;
      }
      return { kind: 'too_many_redirects' };
    } catch (error) {
      return { kind: this.isUnreachable(target, error) ? 'unreachable' : 'failed' };
    } finally {
      await agent.destroy().catch(() => {});
      this.proxy.closePage();
    }
  }

  private isUnreachable(url: string, error: unknown): boolean {
    if (this.proxy.refusalOf(url) !== null) return true;
    for (let cause = error; cause instanceof Error; cause = cause.cause)
      if (CERTIFICATE_ERROR.test(String((cause as NodeJS.ErrnoException).code))) return true;
    return false;
  }
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** The beginning of a body as text. */
export async function readText(body: Readable, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk as Buffer);
    bytes += (chunk as Buffer).length;
    if (bytes >= bytesMax) break;
  }
  return Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8');
}
