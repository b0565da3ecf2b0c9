import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsUUID } from 'class-validator';
import { IsInstant } from '../../shared/instant.js';
import { PageQuery } from '../../shared/page-query.js';
import { RESENDABLE } from '../application/delivery-log.service.js';
import { DELIVERY_OUTCOMES, type DeliveryOutcomeKind, FAILURE_CATEGORIES } from '../domain/outcome.js';

export class ListDeliveriesQuery extends PageQuery {
  @ApiPropertyOptional({ enum: DELIVERY_OUTCOMES })
  @IsOptional()
  @IsIn(DELIVERY_OUTCOMES)
  status?: DeliveryOutcomeKind;

  @ApiPropertyOptional({ format: 'uuid', description: 'The attempts of one record.' })
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

export class ResendDeliveriesDto {
  @ApiProperty({
    enum: RESENDABLE,
    description:
      'How the latest attempt of the records ended; `unsent`: they were stored while forwarding was off.',
  })
  @IsIn(RESENDABLE)
  status!: (typeof RESENDABLE)[number];

  @ApiProperty({ type: String, format: 'date-time', description: 'Inclusive.' })
  @IsInstant()
  from!: Date;

  @ApiProperty({ type: String, format: 'date-time', description: 'Exclusive; at most 14 days later.' })
  @IsInstant()
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

  @ApiProperty({ type: Date, nullable: true, description: 'Looked through down to here; null: to the end' })
  searchedTo!: Date | null;
}

export class ResendResultDto {
  @ApiProperty({ description: 'How many records were queued; 0 where all were waiting already.' })
  queued!: number;
}

export class ResendManyResultDto extends ResendResultDto {
  @ApiProperty({ description: 'Whether more records match than one resend queues; ask again for those.' })
  more!: boolean;
}

export class ResendCountDto {
  @ApiProperty({
    type: 'integer',
    description: 'Counted up to 10,000, which is as many as one resend queues',
  })
  records!: number;

  @ApiProperty({ description: 'Whether there are more' })
  more!: boolean;
}
