import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsDate, IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from '../../shared/page.js';
import { DELIVERY_OUTCOMES, type DeliveryOutcomeKind, FAILURE_CATEGORIES } from '../domain/outcome.js';

const CURSOR_CHARACTERS_MAX = 200;
const RESENDABLE_OUTCOMES = ['failed', 'skipped'] as const;
/** A date, or an instant with its zone; four digits for the year keep it within what a UUIDv7 can hold. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/;
const INSTANT_MESSAGE = '$property must be an ISO 8601 date or instant, such as 2026-11-20T00:00:00Z';

/** Turns an instant into a date; anything else is passed on for `IsDate` to refuse. */
const ToInstant = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => {
    if (typeof value !== 'string' || !INSTANT.test(value)) return value;
    const at = new Date(value);
    // JavaScript takes 30 February for 2 March.
    const [year, month, day] = value.slice(0, 10).split('-').map(Number);
    const calendar = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
    return calendar.getUTCDate() === day && at.getTime() >= 0 ? at : value;
  });

export class ListDeliveriesQuery {
  @ApiPropertyOptional({ enum: DELIVERY_OUTCOMES })
  @IsOptional()
  @IsIn(DELIVERY_OUTCOMES)
  status?: DeliveryOutcomeKind;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Inclusive.' })
  @IsOptional()
  @ToInstant()
  @IsDate({ message: INSTANT_MESSAGE })
  from?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Exclusive.' })
  @IsOptional()
  @ToInstant()
  @IsDate({ message: INSTANT_MESSAGE })
  to?: Date;

  @ApiPropertyOptional({ minimum: 1, maximum: PAGE_LIMIT_MAX, default: PAGE_LIMIT_DEFAULT })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value,
  )
  @IsInt()
  @Min(1)
  @Max(PAGE_LIMIT_MAX)
  limit: number = PAGE_LIMIT_DEFAULT;

  @ApiPropertyOptional({ description: 'The nextCursor of the page before.' })
  @IsOptional()
  @IsString()
  @MaxLength(CURSOR_CHARACTERS_MAX)
  cursor?: string;
}

export class ResendDeliveriesDto {
  @ApiProperty({ enum: RESENDABLE_OUTCOMES, description: 'How the latest attempt of the records ended.' })
  @IsIn(RESENDABLE_OUTCOMES)
  status!: (typeof RESENDABLE_OUTCOMES)[number];

  @ApiProperty({ type: String, format: 'date-time', description: 'Inclusive.' })
  @ToInstant()
  @IsDate({ message: INSTANT_MESSAGE })
  from!: Date;

  @ApiProperty({ type: String, format: 'date-time', description: 'Exclusive; at most 14 days later.' })
  @ToInstant()
  @IsDate({ message: INSTANT_MESSAGE })
  to!: Date;
}

export class DeliveryDto {
  @ApiProperty()
  id!: string;

  @ApiProperty()
  consentId!: string;

  @ApiProperty({ enum: DELIVERY_OUTCOMES })
  outcome!: DeliveryOutcomeKind;

  @ApiProperty({ type: String, enum: FAILURE_CATEGORIES, nullable: true })
  category!: string | null;

  @ApiProperty({ type: Number, nullable: true })
  httpStatus!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'A sentence (failed) or a code (skipped).' })
  reason!: string | null;

  @ApiProperty()
  durationMs!: number;

  @ApiProperty()
  attemptedAt!: Date;

  @ApiProperty({ type: String, nullable: true, description: "The receiver's host." })
  host!: string | null;
}

export class DeliveryPageDto {
  @ApiProperty({ type: [DeliveryDto] })
  items!: DeliveryDto[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}

export class ResendResultDto {
  @ApiProperty({ description: 'How many records were queued; 0 where all were waiting already.' })
  queued!: number;
}

export class ResendManyResultDto extends ResendResultDto {
  @ApiProperty({ description: 'Whether more records match than one resend queues; ask again for those.' })
  more!: boolean;
}
