/** SQLSTATE classes and codes that say the server is away or going away, not that the statement is wrong. */
const CONNECTION_SQLSTATE = /^(08|57P0|53|25006)/;
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
