import { STATUS_CODES, type IncomingMessage, type ServerResponse } from 'node:http';
import {
  Catch,
  Global,
  HttpException,
  Logger,
  Module,
  NotFoundException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { isConnectionFailure, isStatementGivenUp } from '../database/postgres-error.js';
import {
  DOMAIN_ERROR_STATUS,
  DomainError,
  type DomainErrorCode,
  type ProblemCode,
} from '../errors/domain-error.js';
import { BRAND } from '../identity/brand.js';
import { newId } from '../identity/ids.js';
import { ThrottledLog } from '../operations/throttled-log.js';
import { ClientDisconnected } from './client-disconnected.js';
import { nameRequest, REQUEST_ID_HEADER } from './logging.js';
import { problemType } from './problem-type.js';
import { noteRefusal } from './refused-response.js';

interface Problem {
  status: number;
  code: ProblemCode;
  detail: string;
  members?: Record<string, unknown>;
  retryAfterSeconds?: number;
  /** Allowed methods of the path (405). */
  allow?: string;
}

/** Key in the application's locals of the page for an unknown address. */
const NOT_FOUND_PAGE = 'notFoundPage';

/** `Retry-After` while the database is unavailable. */
const RETRY_AFTER_SECONDS = 2;
/** `Retry-After` while the database is overloaded. */
const SLOW_RETRY_AFTER_SECONDS = 10;

/** The body parsers' own errors, distinguished by their `type`. */
const PARSER_PROBLEMS: Record<string, { code: DomainErrorCode; detail: string }> = {
  'entity.too.large': { code: 'payload_too_large', detail: 'The body is too large.' },
  'entity.parse.failed': { code: 'body_not_json', detail: 'The body is not valid JSON.' },
  'encoding.unsupported': {
    code: 'unsupported_media_type',
    detail: 'Unsupported content encoding. Send the body uncompressed or with gzip.',
  },
  'charset.unsupported': { code: 'unsupported_media_type', detail: 'Send the body as UTF-8.' },
};

/**
 * Converts every error into `application/problem+json` (RFC 9457); the only place that maps errors
 * to statuses.
 */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);
  private readonly unreachable = new ThrottledLog(
    this.logger,
    'returning 503: cannot connect to the database',
  );

  private readonly tooSlow = new ThrottledLog(
    this.logger,
    'returning 503: a statement exceeded its time limit',
  );

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const [request, response] = [http.getRequest<Request>(), http.getResponse<Response>()];
    if (error instanceof NotFoundException && isNavigation(request)) {
      const page = request.app.locals[NOT_FOUND_PAGE] as RequestHandler | undefined;
      if (page) return void page(request, response, () => {});
    }
    this.answer(error, request, response);
  }

  /**
   * Responds to a request with an error, also on routes outside Nest. Returns the problem's code.
   */
  answer(error: unknown, request: IncomingMessage, response: ServerResponse): string {
    if (error instanceof ClientDisconnected) {
      response.destroy();
      return 'client_gone';
    }
    const problem = this.problemOf(error, request);
    if (error instanceof DomainError) noteRefusal(response, error.code);
    if (response.headersSent) response.destroy();
    else sendProblem(request, response, problem);
    return problem.code;
  }

  private problemOf(error: unknown, request: IncomingMessage): Problem {
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
    if (isStatementGivenUp(error)) {
      this.tooSlow.warn(error);
      return {
        status: DOMAIN_ERROR_STATUS.temporarily_unavailable,
        code: 'temporarily_unavailable',
        detail:
          'The database query took too long. Request less, for example a shorter period, or try again later.',
        retryAfterSeconds: SLOW_RETRY_AFTER_SECONDS,
      };
    }
    if (isConnectionFailure(error)) {
      this.unreachable.warn(error);
      return {
        status: DOMAIN_ERROR_STATUS.temporarily_unavailable,
        code: 'temporarily_unavailable',
        detail: 'Cannot connect to the database. Try again shortly.',
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      };
    }
    const errorId = newId();
    // Ingest has no request logger that would identify the request.
    const unnamed = !('log' in request) && { req: request };
    this.logger.error({ err: error, errorId, ...unnamed }, 'request failed');
    return {
      status: 500,
      code: 'internal_error',
      detail: `Something went wrong on our side. The error id is ${errorId}.`,
      members: { errorId },
    };
  }
}

/**
 * Browsers that open an unknown address get this page with 404, and programs a problem document.
 */
export function setNotFoundPage(app: NestExpressApplication, page: RequestHandler): void {
  const { locals } = app.getHttpAdapter().getInstance() as unknown as { locals: Record<string, unknown> };
  locals[NOT_FOUND_PAGE] = page;
}

/** Whether a browser opens the address as a page. */
function isNavigation({ method, headers }: Request): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html');
}

function problemOfHttpException(error: HttpException): Problem {
  const status = error.getStatus();
  const codes: Record<number, DomainErrorCode> = {
    400: 'bad_request',
    404: 'not_found',
    405: 'method_not_allowed',
    413: 'payload_too_large',
    503: 'temporarily_unavailable',
  };
  const detail = status === 404 ? 'Route not found.' : error.message;
  return { status, code: codes[status] ?? 'bad_request', detail };
}

function problemOfParserError(error: unknown): Problem | null {
  // Express refuses paths such as `/%ff` with a plain URIError that has a status.
  if (error instanceof URIError)
    return { status: 400, code: 'bad_request', detail: 'The path is not valid percent-encoding.' };
  // The parsers create errors with `http-errors`; `expose` marks errors of the caller.
  if (!(error instanceof Error && 'expose' in error && error.expose === true)) return null;
  const known = 'type' in error ? PARSER_PROBLEMS[String(error.type)] : undefined;
  if (known) return { status: DOMAIN_ERROR_STATUS[known.code], ...known };
  return { status: 400, code: 'bad_request', detail: 'The request ended unexpectedly.' };
}

/**
 * Handles errors of the body parsers before Nest: Nest would convert them into its own exception,
 * without the cause. Mounted after the parsers.
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

/**
 * Writes a problem document, with or without Express. `instance` is the requested path, without its
 * query. Requests refused before the request logger get their request id here.
 */
export function sendProblem(request: IncomingMessage, response: ServerResponse, problem: Problem): void {
  const { status, code, detail, members, retryAfterSeconds, allow } = problem;
  if (!response.hasHeader(REQUEST_ID_HEADER)) nameRequest(request, response);
  if (status === 401) response.setHeader('WWW-Authenticate', `Bearer realm="${BRAND}"`);
  if (allow) response.setHeader('Allow', allow);
  if (retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(retryAfterSeconds));
  const body = JSON.stringify({
    type: problemType(code),
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    instance: pathOf(request),
    code,
    ...members,
  });
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/problem+json; charset=utf-8');
  response.setHeader('Content-Length', Buffer.byteLength(body));
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** Express removes its mount point from `url`, and keeps the whole of it in `originalUrl`. */
function pathOf(request: IncomingMessage & { originalUrl?: string }): string | undefined {
  return (request.originalUrl ?? request.url)?.split('?')[0];
}

/** Converts every error to a problem document, also on routes outside Nest. */
@Global()
@Module({
  providers: [ProblemFilter, { provide: APP_FILTER, useExisting: ProblemFilter }],
  exports: [ProblemFilter],
})
export class ProblemModule {}
