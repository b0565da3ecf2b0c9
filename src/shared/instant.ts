import { Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';
import { coded } from './field-problem.js';
import { described } from './schema-of-checks.js';

const INSTANT =
  /^\d{4}-\d\d-(\d\d)(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d))?$/;
/** In a schema: the same, from 2000 to 2099. That the day is one of its month is a rule beside it. */
const INSTANT_PATTERN = INSTANT.source.replace(
  String.raw`\d{4}-\d\d-(\d\d)`,
  String.raw`20\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])`,
);
/** What is plausible at all; whatever lies outside is a wrong unit or a slip of the keyboard. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2100, 0, 1);
/** How far two honest clocks may differ. */
const CLOCK_DIFFERENCE_MAX_MS = 5 * 60 * 1000;

/** The instant of an ISO 8601 text (a date alone is its midnight in UTC), or null where it is none from 2000 to 2099. */
export function parseInstant(value: unknown): Date | null {
  const at = readInstant(value);
  return at && at.getTime() >= EARLIEST_MS && at.getTime() <= LATEST_MS ? at : null;
}

/** The instant of an ISO 8601 text, of any year. */
function readInstant(value: unknown): Date | null {
  const day = typeof value === 'string' ? INSTANT.exec(value)?.[1] : undefined;
  if (typeof value !== 'string' || day === undefined) return null;
  const at = new Date(value);
  // Date rolls the 30th of February over into March; the calendar day must come back as it went in.
  const rolledOver = new Date(`${value.slice(0, 10)}T00:00:00Z`).getUTCDate() !== Number(day);
  return rolledOver || Number.isNaN(at.getTime()) ? null : at;
}

/** A DTO member that is an ISO 8601 instant from 2000 to 2099, with `past` not in the future; handlers get a Date. */
export function IsInstant({ past = false }: { past?: boolean } = {}): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: { value: unknown }) => parseInstant(value) ?? value)(target, property);
    registerDecorator({
      name: 'isInstant',
      target: target.constructor,
      propertyName: property as string,
      options: {
        message: ({ property, value }) => `${property} ${problemOf(value)}.`,
        context: coded('instant'),
      },
      // The formats check the calendar day; a day alone is its midnight in UTC.
      constraints: described({
        type: 'string',
        format: undefined,
        pattern: INSTANT_PATTERN,
        anyOf: [{ format: 'date-time' }, { format: 'date' }],
      }),
      validator: {
        validate: (value: unknown) =>
          value instanceof Date && (!past || value.getTime() <= Date.now() + CLOCK_DIFFERENCE_MAX_MS),
      },
    });
  };
}

/** Why a value is not taken as an instant. */
function problemOf(value: unknown): string {
  if (value instanceof Date) return 'must not be in the future';
  if (readInstant(value)) return 'must be from 2000-01-01 to 2100-01-01';
  return 'must be an ISO 8601 instant, e.g. 2026-11-20T12:00:00Z';
}
