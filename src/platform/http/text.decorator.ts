import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { buildMessage, ValidateBy } from 'class-validator';
import { coded } from '../errors/field-problem.js';
import { described } from '../openapi/schema-of-checks.js';

// oxlint-disable-next-line no-control-regex -- control characters are what this refuses
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;

/** In a schema: no control characters, and at least one character that is not a blank. */
const LINE = String.raw`^[^\u0000-\u001f\u007f]*[^\s\u0000-\u001f\u007f][^\u0000-\u001f\u007f]*$`;
const LINE_OR_NOTHING = String.raw`^[^\u0000-\u001f\u007f]*$`;

/**
 * A line of text of `min` to `max` characters, without surrounding blanks. Control characters
 * (PostgreSQL stores no NUL) and unpaired surrogates are refused.
 */
export function TextLine({ min, max }: { min: number; max: number }): PropertyDecorator {
  return applyDecorators(
    Trimmed(),
    ValidateBy(
      {
        name: 'textLine',
        constraints: described({
          type: 'string',
          minLength: min,
          maxLength: max,
          pattern: min === 0 ? LINE_OR_NOTHING : LINE,
        }),
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

/** Trims a string; leaves other values for the checks to refuse. */
export function Trimmed(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));
}

function isTextLine(value: string, min: number, max: number): boolean {
  // Code points, as people count characters; the cheap check first, so that a long text is not
  // split.
  if (value.length > 2 * max || !value.isWellFormed() || CONTROL_CHARACTER.test(value)) return false;
  const characters = [...value].length;
  return characters >= min && characters <= max;
}
