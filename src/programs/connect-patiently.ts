import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from './expected-errors.js';

const PAUSE_MS = 1_000;
const LINE_EVERY_MS = 60_000;
/**
 * SQLSTATE of a server that is starting, stopping or out of connections; 08P01 is a pooler that
 * refuses our options.
 */
const LATER_SQLSTATE = /^(57P0|53|08(?!P01))/;
const LATER_ERRNO = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

/**
 * Connects to the database at the start of a process, with retries while the server is unreachable
 * or starting: recovery after a power failure may take minutes. A wrong password or name fails at
 * once.
 *
 * @throws StartError with a sentence for the operator
 */
export async function connectPatiently<T>(connect: () => Promise<T>, waitMs: number): Promise<T> {
  const startedMs = performance.now();
  let lineMs = -Infinity;
  for (;;) {
    try {
      return await connect();
    } catch (error) {
      if (error instanceof StartError) throw error;
      const nowMs = performance.now();
      if (!mayWorkLater(error) || nowMs - startedMs >= waitMs) refuseDatabase(error);
      if (nowMs - lineMs >= LINE_EVERY_MS) {
        lineMs = nowMs;
        const seconds = Math.round((waitMs - (nowMs - startedMs)) / 1_000);
        process.stderr.write(`Waiting for the database for up to ${seconds} s: ${whyNot(error)}\n`);
      }
      await sleep(PAUSE_MS);
    }
  }
}

/** @throws StartError */
export function refuseDatabase(cause: unknown): never {
  throw new StartError(`Cannot use the database: ${whyNot(cause)}`, { cause });
}

/** Errors without a code are timeouts of the driver. */
function mayWorkLater(error: unknown): boolean {
  const code = codeOf(error);
  return code === undefined || LATER_ERRNO.has(code) || LATER_SQLSTATE.test(code);
}

/** The reason as a sentence, without the URL, which may contain a password. */
function whyNot(cause: unknown): string {
  switch (codeOf(cause)) {
    case '28P01':
    case '28000':
      return 'authentication failed. Check the user and password in DATABASE_URL (DATABASE_OWNER_URL if set).';
    case '3D000':
      return 'no database with this name exists. Create it, or check the end of DATABASE_URL.';
    case '08P01':
      return 'the connection pooler rejects session options or has no free session. See docs/deploy.md, PgBouncer.';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'the host cannot be resolved. Check the hostname in DATABASE_URL.';
    case 'ECONNREFUSED':
      return 'connection refused. Check DATABASE_URL and that the server is running.';
    default:
      return 'the server does not respond. Check DATABASE_URL and that the server accepts connections.';
  }
}

/** Drivers and the ORM wrap errors: the first code in the chain. */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  return codeOf(error.cause ?? first);
}
