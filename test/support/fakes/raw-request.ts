import { Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import { connect } from 'node:net';

/** A request as it goes onto the wire. */
export interface RawRequest {
  method: string;
  /** With its query, percent-encoded or not. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Buffer | undefined;
}

/** An answer, read to its end. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends what `fetch` would refuse to: TRACE, broken paths, bodies on GET. */
export class RawClient {
  private readonly agent: Agent;
  private readonly port: string;

  /** `timeoutMs`: an answer that takes longer is none. */
  constructor(
    baseUrl: string,
    private readonly options: { connectionsMax: number; timeoutMs: number },
  ) {
    this.port = new URL(baseUrl).port;
    this.agent = new Agent({ keepAlive: true, maxSockets: options.connectionsMax });
  }

  /** @throws Error without a complete response in time. */
  send({ method, path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
    const { agent, port } = this;
    return new Promise((resolve, reject) => {
      const request = httpRequest(
        {
          agent,
          port,
          method,
          path,
          signal: AbortSignal.timeout(this.options.timeoutMs),
          headers: {
            ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
            ...headers,
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.once('error', reject);
          response.once('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString('utf8'),
            }),
          );
        },
      );
      request.once('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** Writes bytes on a new connection, and returns everything received until the server closes it. */
export function sendBytes(baseUrl: string, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(new URL(baseUrl).port), '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      socket.end();
    });
    socket.once('close', () => resolve(answer));
    socket.once('error', reject);
  });
}

/** The errors of RFC 8628 (`POST /v1/auth/device/…`), which are not problem documents. */
export function isOAuthError({ path }: { path: string }, { status, headers, text }: RawAnswer): boolean {
  if (status !== 400 || !path.startsWith('/v1/auth/device/')) return false;
  if (!String(headers['content-type']).startsWith('application/json')) return false;
  const { error, error_description: description } = JSON.parse(text) as Record<string, unknown>;
  return typeof error === 'string' && typeof description === 'string';
}

/**
 * The problem of a response to invalid input: an error of ours, or a refusal that is no complete
 * problem document (design §5); null: none. `mayBe503` is a code that the route may return 503
 * with.
 */
export function complaintOf(
  { method }: RawRequest,
  { status, headers, text }: RawAnswer,
  mayBe503 = 'billing_not_configured',
): string | null {
  const contentType = headers['content-type'] ?? '';
  if (status >= 500 && !(status === 503 && text.includes(`"${mayBe503}"`))) return `${status} ${text}`;
  if (status < 400) return null;
  if (!contentType.startsWith('application/problem+json')) return `${status} as ${contentType}: ${text}`;
  if (method === 'HEAD') return null;
  const problem = JSON.parse(text) as Record<string, unknown>;
  const complete =
    problem['status'] === status &&
    typeof problem['type'] === 'string' &&
    typeof problem['title'] === 'string' &&
    typeof problem['instance'] === 'string' &&
    /^[a-z_]+$/.test(String(problem['code'])) &&
    String(problem['detail']).length > 5;
  return complete ? null : `incomplete problem: ${text}`;
}
