/**
 * SQLSTATE classes and codes that say the server is away, going away or too busy (57014: it gave the statement up
 * after statement_timeout), not that the statement is wrong.
 */
const CONNECTION_SQLSTATE = /^(08|57P0|57014|53|25006)/;
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
/** `pg` says these in words alone. */
const CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error)/;

/** Whether the server gave a statement up because it took too long, or because it was told to. */
export function isStatementGivenUp(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && cause.code === STATEMENT_GIVEN_UP) return true;
  }
  return false;
}

/** Whether a query failed because the database could not be reached, so that trying again makes sense. */
export function isConnectionFailure(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
    if (
      CONNECTION_SQLSTATE.test(code) ||
      CONNECTION_ERRNO.has(code) ||
      CONNECTION_MESSAGE.test(cause.message)
    )
      return true;
  }
  return false;
}
