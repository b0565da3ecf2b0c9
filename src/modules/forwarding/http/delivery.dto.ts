import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import { ListOf } from '../../../platform/http/body-shape.js';
import { PageQuery } from '../../../platform/http/page-query.js';
import { MembersRule } from '../../../platform/openapi/schema-of-checks.js';
import { TimeZoneName } from '../../../platform/http/time-zone.decorator.js';
import { RESEND_CHOSEN_MAX } from '../application/resend.service.js';
import { DELIVERY_OUTCOMES, type DeliveryOutcomeKind, RESENDABLE } from '../domain/delivery-outcome.js';
import { FAILURE_CATEGORIES, type FailureCategory } from '../../../platform/delivery/domain/outcome.js';
import { RESPONSE_BODY_STORED_BYTES } from '../../../platform/delivery/domain/response-body.js';

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

/** A category is only valid with the status `failed`. */
@MembersRule({ dependentSchemas: { category: { properties: { status: { const: 'failed' } } } } })
export class ResendDeliveriesBody {
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

export class ResendChosenBody {
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

export class DeliveryResponse {
  @ApiProperty({ example: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a3d' }) id!: string;
  @ApiProperty({ example: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a20' }) consentId!: string;

  @ApiProperty({ enum: DELIVERY_OUTCOMES }) outcome!: DeliveryOutcomeKind;
  @ApiProperty({ type: String, enum: FAILURE_CATEGORIES, nullable: true }) category!: string | null;

  @ApiProperty({ type: Number, nullable: true, example: 204 }) httpStatus!: number | null;
  @ApiProperty({ type: String, nullable: true, description: 'A sentence (failed) or a code (skipped).' })
  reason!: string | null;
  @ApiProperty({ example: 84 }) durationMs!: number;

  @ApiProperty() attemptedAt!: Date;
  @ApiProperty({
    type: String,
    nullable: true,
    description: "The receiver's host.",
    example: 'archive.shop.example',
  })
  host!: string | null;
  @ApiProperty({
    description: 'Whether the first 4 KiB of the response body are stored. Editors and owners can read them.',
    example: false,
  })
  hasResponseBody!: boolean;
  @ApiProperty({ description: 'Number of the attempt; more than 1 for automatic retries.', example: 1 })
  attempt!: number;
  @ApiProperty({
    type: Date,
    nullable: true,
    description:
      'When the record is retried automatically, at the earliest; null if it is not, and for all but its latest attempt.',
  })
  nextAttemptAt!: Date | null;
}

export class ResponseBodyResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    maxLength: RESPONSE_BODY_STORED_BYTES,
    description:
      'The first 4 KiB as text, with invalid UTF-8 replaced and NUL removed; null if none was stored.',
    example: '{"error":"archive is read-only"}',
  })
  responseBody!: string | null;
}

export class DeliveryPageResponse {
  @ApiProperty({ type: [DeliveryResponse] }) items!: DeliveryResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;

  @ApiProperty({ type: Date, nullable: true, description: 'Searched back to this time; null: to the end' })
  searchedTo!: Date | null;
}

export class ResendResultResponse {
  @ApiProperty({ description: 'Number of queued records; 0 if all were already queued.', example: 12 })
  queued!: number;
}

export class ResendManyResultResponse extends ResendResultResponse {
  @ApiProperty({
    description: 'Whether more records match than one resend can queue. Repeat the request for those.',
    example: false,
  })
  more!: boolean;
}

export class FailureCauseResponse {
  @ApiProperty({ type: String, enum: FAILURE_CATEGORIES, nullable: true, example: 'http_5xx' })
  category!: FailureCategory | null;
  @ApiProperty({ type: Number, nullable: true, description: 'null: there was no response', example: 503 })
  httpStatus!: number | null;
  @ApiProperty({
    type: 'integer',
    description: 'Of the records counted, those whose latest attempt failed so',
    example: 12,
  })
  records!: number;
}

export class UndeliveredResponse {
  @ApiProperty({
    type: 'integer',
    description:
      'Records whose latest attempt failed and that are neither queued nor retried, counted up to 1,000',
    example: 12,
  })
  records!: number;
  @ApiProperty({ description: 'Whether there are more', example: false }) more!: boolean;

  @ApiProperty({
    type: 'integer',
    description: 'Of them, records whose attempt failed in the last 24 hours',
    example: 4,
  })
  lastDay!: number;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'Latest attempt of the oldest of them',
    example: '2026-11-29T18:12:00.000Z',
  })
  firstFailedAt!: Date | null;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'Latest attempt of the newest of them; null if there are more than were counted',
    example: '2026-12-01T09:12:00.000Z',
  })
  lastFailedAt!: Date | null;
  @ApiProperty({
    type: [FailureCauseResponse],
    description: 'Why they failed, up to 3 causes, most frequent first',
  })
  causes!: FailureCauseResponse[];
}

export class DeliveryActivityQuery {
  @TimeZoneName()
  timeZone: string = 'UTC';
}

export class ActivitySlotResponse {
  @ApiProperty({ description: 'Start of the half hour' }) at!: Date;
  @ApiProperty({ type: 'integer', description: 'Delivered attempts, counted up to 500', example: 96 })
  delivered!: number;
  @ApiProperty({ type: 'integer', description: 'Failed attempts, counted up to 500', example: 2 })
  failed!: number;
}

export class DeliveriesTodayResponse {
  @ApiProperty({ type: 'integer', description: 'Records delivered today', example: 1270 }) delivered!: number;
  @ApiProperty({
    type: 'integer',
    description: 'Records with failed attempts today and no delivered one',
    example: 12,
  })
  failed!: number;
  @ApiProperty({
    description: 'Whether there are more than the newest 20,000 attempts of each outcome that are counted',
    example: false,
  })
  more!: boolean;
}

export class ResponseTimeResponse {
  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Milliseconds; null without deliveries',
    example: 84,
  })
  p50Ms!: number | null;
  @ApiProperty({ type: Number, nullable: true, example: 310 }) p99Ms!: number | null;
}

/** Whether an endpoint accepts records. */
export class DeliveryActivityResponse {
  @ApiProperty({
    type: [ActivitySlotResponse],
    description: 'The last 24 hours by half hours, oldest first; the last one is still running',
  })
  slots!: ActivitySlotResponse[];
  @ApiProperty({
    type: DeliveriesTodayResponse,
    description: 'Since midnight in the time zone of the request',
  })
  today!: DeliveriesTodayResponse;
  @ApiProperty({
    type: ResponseTimeResponse,
    description: 'Response times of the newest deliveries of the last 24 hours, up to 1,000',
  })
  responseTime!: ResponseTimeResponse;
}

export class ResendCountResponse {
  @ApiProperty({
    type: 'integer',
    description: 'Counted up to 10,000, the maximum that one resend queues',
    example: 12,
  })
  records!: number;
  @ApiProperty({ description: 'Whether more records match', example: false }) more!: boolean;
}
