import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { isEmail, MaxLength, ValidateBy } from 'class-validator';
import { coded } from '../../platform/errors/field-problem.js';
import { Trimmed } from '../../platform/http/text.decorator.js';
import { described } from '../../platform/openapi/schema-of-checks.js';
import { EMAIL, EMAIL_CHARACTERS_MAX } from './domain/account.js';

/** An e-mail address field. */
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

/** Our own pattern first: `isEmail` throws on an unpaired surrogate. */
function isAddress(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.length <= EMAIL_CHARACTERS_MAX &&
    EMAIL.test(value) &&
    isEmail(value, { allow_utf8_local_part: false })
  );
}
