const INSTANT =
  /^\d{4}-\d\d-(\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;
/** The same as a pattern for a JSON schema, from 2000 to 2099. The format checks the day of the month. */
export const INSTANT_PATTERN = INSTANT.source.replace(
  String.raw`\d{4}-\d\d-(\d\d)`,
  String.raw`20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`,
);
/** The plausible range; times outside are a wrong unit or a typing error. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
/**
 * The time of an ISO 8601 text (a date without a time is its midnight in UTC), or null unless it is
 * from 2000 to 2099.
 */
export function parseInstant(value: unknown): Date | null {
  const at = readInstant(value);
  return at && at.getTime() >= EARLIEST_MS && at.getTime() <= LATEST_MS ? at : null;
}

/** The instant of an ISO 8601 text, of any year. */
function readInstant(value: unknown): Date | null {
  const day = typeof value === 'string' ? INSTANT.exec(value)?.[1] : undefined;
  if (typeof value !== 'string' || day === undefined) return null;
  const at = new Date(value);
  // Date turns the 30th of February into March, so compare the day of the result.
  const rolledOver = new Date(`${value.slice(0, 10)}T00:00:00Z`).getUTCDate() !== Number(day);
  return rolledOver || Number.isNaN(at.getTime()) ? null : at;
}

/** Why a value is rejected as an instant, as the end of a sentence. */
export function instantProblem(value: unknown): string {
  if (value instanceof Date) return 'must not be in the future';
  if (readInstant(value)) return 'must be from 2000-01-01 to 2100-01-01';
  return 'must be an ISO 8601 instant, e.g. 2026-11-20T12:00:00Z';
}

/** The first instant of the month that is the given number of months after that of `now`, in UTC. */
export function monthStart(now: Date, monthsFromNow: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsFromNow, 1));
}
