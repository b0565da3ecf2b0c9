import { Transform } from 'class-transformer';
import { registerDecorator } from 'class-validator';
import { coded } from '../errors/field-problem.js';
import { INSTANT_PATTERN, instantProblem, parseInstant } from '../time/instant.js';
import { described } from '../openapi/schema-of-checks.js';

/** Largest difference between two correct clocks. */
const CLOCK_DIFFERENCE_MAX_MS = 5 * 60 * 1000;

/** A DTO member that is an ISO 8601 instant from 2000 to 2099, with `past` not in the future; handlers get a Date. */
export function IsInstant({ past = false }: { past?: boolean } = {}): PropertyDecorator {
  return (target, property) => {
    Transform(({ value }: { value: unknown }) => parseInstant(value) ?? value)(target, property);
    registerDecorator({
      name: 'isInstant',
      target: target.constructor,
      propertyName: property as string,
      options: {
        message: ({ property, value }) => `${property} ${instantProblem(value)}.`,
        context: coded('instant'),
      },
      // The formats check the calendar day; a date without a time is its midnight in UTC.
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
