import { Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';

const INSTANT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;
/** Years that the database and the ids can both carry. */
const EARLIEST_MS = Date.UTC(2000, 0, 1);
const LATEST_MS = Date.UTC(2200, 0, 1);

/** The instant of an ISO 8601 text (a date alone is its midnight in UTC), or null where it is none. */
export function parseInstant(value: unknown): Date | null {
  if (typeof value !== 'string' || !INSTANT.test(value)) return null;
  const at = new Date(value);
  const ms = at.getTime();
  // Date rolls 31 February over into March; such a text is a mistake, not an instant.
  const day = Number(value.slice(8, 10));
  const rolledOver = new Date(`${value.slice(0, 10)}T00:00:00Z`).getUTCDate() !== day;
  return Number.isNaN(ms) || rolledOver || ms < EARLIEST_MS || ms > LATEST_MS ? null : at;
}

/** A DTO member that is an ISO 8601 instant; handlers get a Date. */
export function IsInstant(): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: { value: unknown }) => parseInstant(value) ?? value)(target, property);
    registerDecorator({
      name: 'isInstant',
      target: target.constructor,
      propertyName: property as string,
      options: { message: '$property must be an ISO 8601 instant, e.g. 2026-11-20T12:00:00Z.' },
      validator: { validate: (value: unknown) => value instanceof Date },
    });
  };
}
