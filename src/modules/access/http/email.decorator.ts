import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { isEmail, MaxLength, ValidateBy } from 'class-validator';
import { Trimmed } from '../../http/text.decorator.js';
import { EMAIL, EMAIL_CHARACTERS_MAX } from '../domain/email.js';
import { coded } from '../../shared/field-problem.js';
import { described } from '../../http/schema-of-checks.js';

/** A field that holds an e-mail address. */
export const EmailAddress = (description?: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ format: 'email', maxLength: EMAIL_CHARACTERS_MAX, ...(description && { description }) }),
    Trimmed(),
    ValidateBy(
      {
        name: 'emailAddress',
        constraints: described({ type: 'string', format: 'email', pattern: EMAIL.source }),
        validator: { validate: isAddress, defaultMessage: () => '$property must be an email' },
      },
      { context: coded('email') },
    ),
    MaxLength(EMAIL_CHARACTERS_MAX),
  );

/** Our own pattern comes first: `isEmail` throws on half a surrogate pair. */
function isAddress(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= EMAIL_CHARACTERS_MAX &&
    EMAIL.test(value) &&
    isEmail(value, { allow_utf8_local_part: false })
  );
}
