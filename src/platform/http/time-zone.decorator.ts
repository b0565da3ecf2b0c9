import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsTimeZone, Matches } from 'class-validator';

/** Only IANA names: PostgreSQL inverts the sign of an offset. */
const TIME_ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+){0,2}$/;

const message = 'timeZone must be an IANA time zone such as Europe/Berlin.';

/** A query parameter: the time zone of days, or of what `description` says. */
export const TimeZoneName = (description = 'Where a day begins: an IANA name'): PropertyDecorator =>
  applyDecorators(
    ApiPropertyOptional({
      default: 'UTC',
      example: 'Europe/Berlin',
      description,
    }),
    IsOptional(),
    Matches(TIME_ZONE, { message }),
    IsTimeZone({ message }),
  );
