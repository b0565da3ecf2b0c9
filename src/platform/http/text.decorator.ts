import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { buildMessage, ValidateBy } from 'class-validator';
import { coded } from '../shared/field-problem.js';
import { described } from './schema-of-checks.js';

// oxlint-disable-next-line no-control-regex -- control characters are what this refuses
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** In a schema: something other than blanks, and no control characters. */
const LINE = String.raw`^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$`;

/**
 * A line of text of `min` to `max` characters, without the blanks around it. Control characters (PostgreSQL
 * stores no NUL) and lone surrogates are refused.
 */
export function TextLine({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(
    Trimmed(),
    ValidateBy(
      {
        name: 'textLine',
        constraints: described({ type: 'string', minLength: min, maxLength: max, pattern: LINE }),
        validator: {
          validate: (value: unknown) => typeof value === 'string' && isTextLine(value, min, max),
          defaultMessage: buildMessage(
            () => `$property must be a line of ${min} to ${max} characters, without control characters.`,
          ),
        },
      },
      { context: coded('length', { min, max }) },
    ),
  );
}

/** Takes the blanks around a string away; anything else stays as it is, for the checks to refuse. */
export function Trimmed(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
}

function isTextLine(value: string, min: number, max: number): boolean {
  // Code points, as a person counts characters; the cheap check first, so that a long text is not split.
  if (value.length > 2 * max || !value.isWellFormed() || CONTROL_CHARACTER.test(value)) return false;
  const characters = [...value].length;
  return characters >= min && characters <= max;
}
