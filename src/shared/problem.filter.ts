import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { STATUS_CODES } from 'node:http';
import { DomainError, DOMAIN_ERROR_STATUS, type DomainErrorCode } from './domain-error.js';
import { Complaint } from './complaint.js';
import { newId } from './ids.js';
import { isConnectionFailure } from './postgres-error.js';

interface Problem {
  status: number;
  code: string;
  detail: string;
  members?: Record<string, unknown>;
  retryAfterSeconds?: number;
}

/** What a caller is asked to wait while the database is away. */
const RETRY_AFTER_SECONDS = 2;

/** The body parsers' own errors, told apart by the `type` they carry. */
const PARSER_PROBLEMS: Record<string, { code: DomainErrorCode; detail: string }> = {
  'entity.too.large': { code: 'payload_too_large', detail: 'The body is larger than this route takes.' },
  'entity.parse.failed': { code: 'body_not_json', detail: 'The body is not valid JSON.' },
  'encoding.unsupported': {
    code: 'unsupported_media_type',
    detail: 'The content encoding is not supported; send the body uncompressed or with gzip.',
  },
  'charset.unsupported': { code: 'unsupported_media_type', detail: 'Send the body as UTF-8.' },
};

/** Turns everything that is thrown into `application/problem+json` (RFC 9457); alone knows the statuses. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);
  private readonly unreachable = new Complaint(
    this.logger,
    'requests are answered 503: the database cannot be reached',
  );

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const problem = this.problemOf(error, request);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    sendProblem(request, response, problem);
  }

  private problemOf(error: unknown, request: Request): Problem {
    if (error instanceof DomainError) {
      const { errors, members, retryAfterSeconds } = error.details;
      return {
        status: DOMAIN_ERROR_STATUS[error.code],
        code: error.code,
        detail: error.message,
        members: { ...members, ...(errors && { errors }) },
        ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      };
    }
    if (error instanceof HttpException) return problemOfHttpException(error);
    const parser = problemOfParserError(error);
    if (parser) return parser;
    if (isConnectionFailure(error)) {
      this.unreachable.about(error);
      return {
        status: DOMAIN_ERROR_STATUS.temporarily_unavailable,
        code: 'temporarily_unavailable',
        detail: 'The database cannot be reached. Try again in a moment.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      };
    }
    const errorId = newId();
    // The ingest has no logger of its own that would say which request it was.
    const unnamed = !('log' in request) && { req: request };
    this.logger.error({ err: error, errorId, ...unnamed }, 'request failed');
    return {
      status: 500,
      code: 'internal_error',
      detail: `Something went wrong on our side. The log has it under ${errorId}.`,
      members: { errorId },
    };
  }
}

function problemOfHttpException(error: HttpException): Problem {
  const status = error.getStatus();
  const codes: Record<number, string> = {
    400: 'bad_request',
    404: 'not_found',
    405: 'method_not_allowed',
    413: 'payload_too_large',
    503: 'temporarily_unavailable',
  };
  const detail = status === 404 ? 'There is no such route.' : error.message;
  return { status, code: codes[status] ?? 'bad_request', detail };
}

function problemOfParserError(error: unknown): Problem | null {
  if (!(error instanceof Error) || !('type' in error) || typeof error.type !== 'string') {
    // Express refuses paths such as `/%ff` with a plain URIError that carries a status.
    return error instanceof URIError
      ? { status: 400, code: 'bad_request', detail: 'The path is not valid percent-encoding.' }
      : null;
  }
  const known = PARSER_PROBLEMS[error.type];
  if (known) return { status: DOMAIN_ERROR_STATUS[known.code], ...known };
  const status = 'status' in error && typeof error.status === 'number' ? error.status : 500;
  if (status >= 500) return null;
  return { status, code: 'bad_request', detail: 'The request could not be read to its end.' };
}

/**
 * Answers what the body parsers refuse, before Nest sees it: Nest would turn it into an exception of its own
 * that no longer says what was wrong. Mounted behind the parsers.
 */
export function answerParserErrors(
  error: unknown,
  request: Request,
  response: Response,
  next: NextFunction,
): void {
  const problem = problemOfParserError(error);
  if (problem) sendProblem(request, response, problem);
  else next(error);
}

/** Writes a problem document. `instance` is the path that was asked, without its query. */
export function sendProblem(request: Request, response: Response, problem: Problem): void {
  const { status, code, detail, members, retryAfterSeconds } = problem;
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  response
    .status(status)
    .type('application/problem+json')
    .send(
      JSON.stringify({
        type: 'about:blank',
        title: STATUS_CODES[status] ?? 'Error',
        status,
        detail,
        instance: request.originalUrl.split('?')[0],
        code,
        ...members,
      }),
    );
}
