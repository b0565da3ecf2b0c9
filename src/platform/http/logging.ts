import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import type { LogFn, Logger } from 'pino';
import { isNotConfigured, isRefusal } from './refused-response.js';
import { withoutKeys } from '../secrets/without-keys.js';

const REQUEST_ID = /^[\w.-]{1,64}$/;
export const REQUEST_ID_HEADER = 'x-request-id';

/** Never logged, at any position; the serializers below omit headers and bodies anyway. */
const REDACTED = [
  'req.headers',
  'res.headers',
  '*.authorization',
  '*.cookie',
  '*.password',
  '*.bearerToken',
  '*.token',
  '*.secret',
  '*.apiKey',
  '*.key',
  '*.visitorKey',
];

/**
 * pino through nestjs-pino: JSON lines with a request id each. A request's line has method, path,
 * status and time; no query, no headers, no address, so that nothing of a visitor is logged.
 * Consents are counted in the metrics rather than logged one by one; the filter logs failures on
 * our side.
 */
export function loggingOptions(logLevel: string): Params {
  return {
    pinoHttp: {
      level: logLevel,
      genReqId: nameRequest,
      hooks: { logMethod: dropBootChatter },
      redact: { paths: REDACTED, censor: '[redacted]' },
      autoLogging: { ignore: (request) => isQuiet(request) },
      // The serializers below take the logged object itself, not pino's conversion of it.
      wrapSerializers: false,
      serializers: {
        req: ({ id, method, originalUrl, url }: LoggedRequest) => ({
          id,
          method,
          // Express removes its mount point from `url`.
          path: (originalUrl ?? url).split('?')[0],
        }),
        err: describeError,
        res: ({ statusCode }: { statusCode: number }) => ({ statusCode }),
      },
      customLogLevel: (_request, response, error) => levelOf(response, error),
      // For a 5xx pino-http creates an error with its own stack.
      customErrorObject: (_request, response, _error, line: object) =>
        isRefusal(response) ? { ...line, err: undefined } : line,
      customErrorMessage: (_request, response) =>
        isRefusal(response) ? 'request refused' : 'request errored',
    },
  };
}

/**
 * A documented refusal is no error of the service; a missing configuration is not even a warning.
 */
function levelOf(response: ServerResponse, error: Error | undefined): 'error' | 'warn' | 'info' {
  if (isNotConfigured(response)) return 'info';
  if ((!error || isClientDisconnect(error)) && response.statusCode < 500) return 'info';
  return isRefusal(response) ? 'warn' : 'error';
}

/** Whether a response failed because its client disconnected, which is normal. */
function isClientDisconnect(error: NodeJS.ErrnoException): boolean {
  return ['ERR_STREAM_PREMATURE_CLOSE', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '');
}

interface LoggedRequest {
  id: string;
  method: string;
  url: string;
  originalUrl?: string;
}

interface DescribedError {
  type: string;
  message: string;
  code?: unknown;
  stack?: string | undefined;
  cause?: DescribedError;
}

/** Only the useful members: drivers attach connections and row values to their errors. */
function describeError(given: unknown): DescribedError {
  // pino-http passes its own description, which refers to the error itself. Stripe's errors have a
  // `raw` too.
  const isDescription = typeof given === 'object' && given !== null && !(given instanceof Error);
  const error = isDescription && 'raw' in given ? given.raw : given;
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  return {
    type: 'type' in error && typeof error.type === 'string' ? error.type : error.name,
    message: withoutKeys(error.message),
    ...('code' in error && { code: error.code }),
    stack: error.stack && withoutKeys(error.stack),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}

/** Nest logs every module and route at each start, which is noise. */
const BOOT_CONTEXTS = new Set([
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestFactory',
  'NestApplication',
]);
const INFO_LEVEL = 30;

function dropBootChatter(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void {
  const [first] = args as unknown[];
  const context =
    typeof first === 'object' && first !== null && 'context' in first ? first.context : undefined;
  if (level <= INFO_LEVEL && typeof context === 'string' && BOOT_CONTEXTS.has(context)) return;
  method.apply(this, args);
}

/** Uses the caller's request id if it is valid, else creates one. */
export function resolveRequestId(request: IncomingMessage): string {
  const given = request.headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Assigns a request id and returns it in a response header. */
export function nameRequest(request: IncomingMessage, response: ServerResponse): string {
  const id = resolveRequestId(request);
  response.setHeader(REQUEST_ID_HEADER, id);
  return id;
}

function isQuiet(request: IncomingMessage): boolean {
  const path = (request.url ?? '').split('?')[0] ?? '';
  return path.startsWith('/health/') || path === '/metrics';
}
