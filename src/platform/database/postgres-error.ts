/**
 * SQLSTATE classes and codes of a server that is unavailable, stopping or too busy (57014: it
 * canceled the statement after statement_timeout), as opposed to errors in the statement.
 */
const CONNECTION_SQLSTATE = /^(08|57P0|57014|53|25006)/;
/** SQLSTATE classes for a value, a constraint and a size: the same row is refused on every try. */
const ROW_SQLSTATE = /^(22|23|54)/;
const STATEMENT_GIVEN_UP = '57014';
const CONNECTION_ERRNO = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);
/** `pg` reports these only as messages, without a code. */
const CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error)/;

const CONNECT_FAILED = Symbol.for('consent-service.connectFailed');

/** Marks an error of opening a connection; `isConnectionFailure` is then true for it. */
export function markConnectFailure<T>(error: T): T {
  if (error instanceof Error) Object.defineProperty(error, CONNECT_FAILED, { value: true });
  return error;
}

/** Whether the server canceled a statement, because of a timeout or on request. */
export function isStatementGivenUp(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === STATEMENT_GIVEN_UP) return true;
  }
  return false;
}

/**
 * Whether the server refused a row for its content, so that the other rows can be written without
 * it.
 */
export function isRefusedRow(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && ROW_SQLSTATE.test(cause.code)) return true;
  }
  return false;
}

/**
 * Whether a query failed because the database could not be reached, so that a retry makes sense.
 */
export function isConnectionFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (
      CONNECT_FAILED in cause ||
      CONNECTION_SQLSTATE.test(code) ||
      CONNECTION_ERRNO.has(code) ||
      CONNECTION_MESSAGE.test(cause.message)
    )
      return true;
  }
  return false;
}
