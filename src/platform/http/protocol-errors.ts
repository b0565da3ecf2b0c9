import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

interface ProtocolProblem {
  status: number;
  code: string;
  detail: string;
}

/** What Node's parser gives up on, by its error code; everything else is no HTTP. */
const PARSER_PROBLEMS: Record<string, ProtocolProblem> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    code: 'headers_too_large',
    detail: 'The URL and headers are too large. Shorten them.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'request_timeout',
    detail: 'The request did not arrive in time. Send it again.',
  },
};

const NO_HTTP: ProtocolProblem = {
  status: 400,
  code: 'bad_request',
  detail: 'This is not a valid HTTP request.',
};

const EXPECTATION_FAILED: ProtocolProblem = {
  status: 417,
  code: 'expectation_failed',
  detail: 'Only Expect: 100-continue is supported. Remove the Expect header.',
};

/**
 * Answers requests that never become one, because Node refuses them before Express sees anything, with a
 * problem document like every other refusal (RFC 9457) instead of an empty body.
 */
export function answerProtocolErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // Where the client is gone, or an answer to an earlier request is on its way, there is nothing to say.
    if (!socket.writable || error.code === 'ECONNRESET' || hasAnswerUnderWay(socket)) {
      socket.destroy(error);
      return;
    }
    const problem = PARSER_PROBLEMS[error.code ?? ''] ?? NO_HTTP;
    const body = formatProblem(problem);
    const headers = Object.entries(problemHeaders(body)).map(([name, value]) => `${name}: ${value}`);
    socket.end(
      [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...headers, '', body].join('\r\n'),
    );
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const body = formatProblem(EXPECTATION_FAILED, request.url?.split('?')[0]);
    response.writeHead(EXPECTATION_FAILED.status, problemHeaders(body)).end(body);
  });
}

/** `instance` is the path that was asked; it is left out where the request line could not be read. */
function formatProblem({ status, code, detail }: ProtocolProblem, instance?: string): string {
  return JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, instance, code });
}

/** As on every other answer: a request id, and that a browser must take the body for nothing else. */
function problemHeaders(body: string): Record<string, string> {
  return {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  };
}

/** Node hangs the answer it is writing onto the socket; its own handler looks there too. */
function hasAnswerUnderWay(socket: Socket): boolean {
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: { headersSent?: boolean } };
  return message?.headersSent === true;
}
