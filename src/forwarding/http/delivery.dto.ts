import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { IfGiven } from '../../http/if-given.decorator.js';
import { IsInstant } from '../../http/instant.decorator.js';
import { ListOf } from '../../http/body-shape.js';
import { PageQuery } from '../../http/page-query.js';
import { MembersRule } from '../../http/schema-of-checks.js';
import { RESEND_CHOSEN_MAX } from '../application/resend.service.js';
import { RESENDABLE } from '../domain/delivery.js';
import {
  DELIVERY_OUTCOMES,
  type DeliveryOutcomeKind,
  FAILURE_CATEGORIES,
  type FailureCategory,
} from '../domain/outcome.js';

export class ListDeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: DELIVERY_OUTCOMES })
  @IsOptional()
  @IsIn(DELIVERY_OUTCOMES)
  status?: DeliveryOutcomeKind;

  @ApiPropertyOptional({ enum: FAILURE_CATEGORIES, description: 'Attempts that failed in this category.' })
  @IsOptional()
  @IsIn(FAILURE_CATEGORIES)
  category?: FailureCategory;

  @ApiPropertyOptional({ format: 'uuid', description: 'Attempts of one record.' })
  @IsOptional()
  @IsUUID()
  consentId?: string;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Inclusive.' })
  @IsOptional()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Exclusive.' })
  @IsOptional()
  @IsInstant()
  to?: Date;
}

/** A category is one of failures. */
@MembersRule({ dependentSchemas: { category: { properties: { status: { const: 'failed' } } } } })
export class ResendDeliveriesDto {
  @ApiProperty({
    enum: RESENDABLE,
    description: 'Outcome of the latest attempt; `unsent`: stored while forwarding was off.',
  })
  @IsIn(RESENDABLE)
  status!: (typeof RESENDABLE)[number];

  @ApiPropertyOptional({
    enum: FAILURE_CATEGORIES,
    description: 'Only with status `failed`: category of the latest failure.',
  })
  @IfGiven()
  @IsIn(FAILURE_CATEGORIES)
  category?: FailureCategory;

  @ApiProperty({ type: String, format: 'date-time', description: 'Inclusive.' })
  @IsInstant()
  from!: Date;

  @ApiProperty({ type: String, format: 'date-time', description: 'Exclusive; at most 14 days later.' })
  @IsInstant()
  to!: Date;
}

export class ResendChosenDto {
  @ApiProperty({
    type: [String],
    format: 'uuid',
    minItems: 1,
    maxItems: RESEND_CHOSEN_MAX,
    description: 'IDs of consent records.',
  })
  @ListOf({ min: 1, max: RESEND_CHOSEN_MAX })
  @IsUUID(undefined, { each: true })
  consentIds!: string[];
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

  @ApiProperty({ type: Date, nullable: true, description: 'Searched back to this time; null: to the end' })
  searchedTo!: Date | null;
}

export class ResendResultDto {
  @ApiProperty({ description: 'Number of queued records; 0 if all were already queued.' })
  queued!: number;
}

export class ResendManyResultDto extends ResendResultDto {
  @ApiProperty({
    description: 'Whether more records match than one resend can queue. Repeat the request for those.',
  })
  more!: boolean;
}

export class ResendCountDto {
  @ApiProperty({
    type: 'integer',
    description: 'Counted up to 10,000, the maximum that one resend queues',
  })
  records!: number;

  @ApiProperty({ description: 'Whether more records match' })
  more!: boolean;
}
