import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { IsInstant } from '../../shared/instant.js';
import { PageQuery } from '../../shared/page-query.js';
import { HOSTNAME_CHARACTERS_MAX } from '../domain/consent-input.js';

export const CONSENT_EXAMPLE = {
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
  policyVersion: '2026-11',
};

/** What the banner is told. */
export class ConsentReceiptView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty() receivedAt!: Date;
  @ApiProperty({ description: 'The same decision was stored before' }) duplicate!: boolean;
}

/** A stored record, as the dashboard sees it. */
export class ConsentView {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty() analytics!: boolean;
  @ApiProperty() marketing!: boolean;
  @ApiProperty() preferences!: boolean;
  @ApiProperty({ example: 'accept_all' }) action!: string;
  @ApiProperty({ type: String, nullable: true }) hostname!: string | null;
  @ApiProperty() receivedAt!: Date;
  @ApiProperty({ description: 'Every further field that the banner sent', type: Object })
  additionalFields!: Record<string, unknown>;
  @ApiPropertyOptional({
    type: Object,
    nullable: true,
    description:
      'Only on a single record: its last delivery, `{ outcome: "pending" }` while one is to come, or `{ outcome: "unsent", reason }` where it was stored while forwarding was off (`off`) or not of the tier (`tier`)',
  })
  delivery?: unknown;
}

export const asBoolean = ({ value }: { value: unknown }): unknown =>
  value === 'true' ? true : value === 'false' ? false : value;

/** Filters of list and export; all that are given must hold. */
export class ConsentFilterQuery {
  @ApiPropertyOptional({ description: 'Received at or after' })
  @IsOptional()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({ description: 'Received before' })
  @IsOptional()
  @IsInstant()
  to?: Date;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @Matches(/^[A-Za-z][A-Za-z0-9_.:-]{0,63}$/, {
    message: 'action must be the action of a record, e.g. accept_all.',
  })
  action?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @IsString()
  @MaxLength(HOSTNAME_CHARACTERS_MAX)
  @Matches(/^[\w.:[\]-]+$/, { message: 'hostname must be a host name.' })
  hostname?: string;

  @ApiPropertyOptional()
  @IsOptional()
  @Transform(asBoolean)
  @IsBoolean({ message: 'analytics must be true or false.' })
  analytics?: boolean;

  @ApiPropertyOptional()
  @IsOptional()
  @Transform(asBoolean)
  @IsBoolean({ message: 'marketing must be true or false.' })
  marketing?: boolean;

  @ApiPropertyOptional()
  @IsOptional()
  @Transform(asBoolean)
  @IsBoolean({ message: 'preferences must be true or false.' })
  preferences?: boolean;
}

/** A page of the records that the filters match. */
export class ConsentListQuery extends IntersectionType(PageQuery, ConsentFilterQuery) {}
