import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemCode } from '../errors/domain-error.js';
import { problemType } from './problem-type.js';

interface ProtocolProblem {
  status: number;
  code: ProblemCode;
  detail: string;
}

/** Errors of Node's parser by code; everything else is not HTTP. */
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
 * Responds to requests that Node refuses before Express with a problem document like all other
 * errors (RFC 9457), instead of an empty body.
 */
export function answerProtocolErrors(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    // The client has disconnected, or a response to an earlier request is being sent.
    if (!socket.writable || error.code === 'ECONNRESET' || hasAnswerUnderWay(socket)) {
      socket.destroy(error);
      return;
    }
    socket.end(formatResponse(PARSER_PROBLEMS[error.code ?? ''] ?? NO_HTTP));
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const body = formatProblem(EXPECTATION_FAILED, request.url?.split('?')[0]);
    response.writeHead(EXPECTATION_FAILED.status, problemHeaders(body)).end(body);
  });
}

/** Responds on a connection without earlier responses, without reading its input, and closes it. */
export function refuseConnection(socket: Socket, problem: ProtocolProblem): void {
  socket.write(formatResponse(problem));
  socket.destroySoon();
}

function formatResponse(problem: ProtocolProblem): string {
  const body = formatProblem(problem);
  const headers = Object.entries(problemHeaders(body)).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`, ...headers, '', body].join('\r\n');
}

/** `instance` is the requested path, or absent if the request line could not be read. */
function formatProblem({ status, code, detail }: ProtocolProblem, instance?: string): string {
  const type = problemType(code);
  return JSON.stringify({ type, title: STATUS_CODES[status], status, detail, instance, code });
}

/** As on every other response: a request id, and no content sniffing. */
function problemHeaders(body: string): Record<string, string> {
  return {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Content-Type-Options': 'nosniff',
    'X-Request-Id': randomUUID(),
    Connection: 'close',
  };
}

/** Node stores the response in progress on the socket; its own handler checks this too. */
function hasAnswerUnderWay(socket: Socket): boolean {
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: { headersSent?: boolean } };
  return message?.headersSent === true;
}
