import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsEmail, Matches, MaxLength } from 'class-validator';
import { Trimmed } from '../../shared/text.decorator.js';
import { EMAIL, EMAIL_CHARACTERS_MAX } from '../domain/email.js';
import { coded } from '../../shared/field-problem.js';

/** A field that holds an e-mail address. */
export const EmailAddress = (description?: string): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ format: 'email', maxLength: EMAIL_CHARACTERS_MAX, ...(description && { description }) }),
    Trimmed(),
    IsEmail({ allow_utf8_local_part: false }),
    Matches(EMAIL, { message: '$property must be an email', context: coded('email') }),
    MaxLength(EMAIL_CHARACTERS_MAX),
  );
