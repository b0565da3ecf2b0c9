import { buildMessage, ValidateBy, type ValidationOptions } from 'class-validator';

const ISO_INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** What is plausible at all; whatever lies outside is a wrong unit or a slip of the keyboard. */
const EARLIEST = Date.parse('2000-01-01T00:00:00Z');
const LATEST = Date.parse('2100-01-01T00:00:00Z');
/** How far two honest clocks may differ. */
const CLOCK_DIFFERENCE_MAX_MS = 5 * 60 * 1000;

/** An ISO 8601 date and time with `Z` or an offset, from 2000 to 2099; with `past`, none that is yet to come. */
export function IsInstant(bounds: { past: boolean }, options?: ValidationOptions): PropertyDecorator {
  const range = bounds.past ? 'from 2000 until now' : 'from 2000 to 2099';
  return ValidateBy(
    {
      name: 'isInstant',
      validator: {
        validate: (value: unknown) => isInstant(value, bounds.past ? Date.now() : LATEST),
        defaultMessage: buildMessage(
          (each) =>
            `${each}$property must be an ISO 8601 instant with an offset, e.g. 2026-11-20T12:00:00Z, ${range}`,
          options,
        ),
      },
    },
    options,
  );
}

function isInstant(value: unknown, latest: number): boolean {
  if (typeof value !== 'string') return false;
  const parts = ISO_INSTANT.exec(value);
  if (!parts) return false;
  const [, year, month, day] = parts.map(Number);
  // Date rolls the 30th of February over into March; the calendar day must come back as it went in.
  const calendarDay = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  if (calendarDay.getUTCMonth() !== (month ?? 0) - 1 || calendarDay.getUTCDate() !== day) return false;
  const at = Date.parse(value);
  return at >= EARLIEST && at <= Math.min(LATEST, latest + CLOCK_DIFFERENCE_MAX_MS);
}
