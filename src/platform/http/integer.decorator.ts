import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ValidateBy } from 'class-validator';
import { coded } from '../errors/field-problem.js';
import { described } from '../openapi/schema-of-checks.js';

interface Bounds {
  min: number;
  max?: number;
}

/** The digits of `Number.MAX_SAFE_INTEGER`. */
const DIGITS = /^\d{1,16}$/;

/**
 * A whole number in a body, at most JavaScript's largest exact one. The response names one problem:
 * bounds only if the value is a whole number.
 */
export function Integer({ min, max = Number.MAX_SAFE_INTEGER }: Bounds): PropertyDecorator {
  return ValidateBy(
    {
      name: 'integer',
      constraints: described({ type: 'integer', minimum: min, maximum: max }),
      validator: {
        validate: (value: unknown) =>
          Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max,
        defaultMessage: (given) =>
          Number.isInteger(given?.value)
            ? `$property must be from ${min} to ${max}.`
            : '$property must be a whole number.',
      },
    },
    { context: coded('range', { min, max }) },
  );
}

/** A whole number in a query, written in digits. */
export function QueryInteger(bounds: Bounds): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' && DIGITS.test(value) ? Number(value) : value,
    ),
    Integer(bounds),
  );
}
