import { ApiOkResponse, ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { MESSAGE_LANGUAGES, type MessageLanguage } from '../../../platform/messages/messages.js';
import { TimeZoneName } from '../../../platform/http/time-zone.decorator.js';
import { QueryInteger } from '../../../platform/http/integer.decorator.js';

/** The maximum of PostgreSQL's `int`. */
const EPOCH_MAX = 2_147_483_647;

const PROOF_FORMATS = ['tlog-proof', 'pdf'] as const;

export class FormerLogResponse {
  @ApiProperty({ example: 'consent.example.com/0193c3a1-7f00-7000-8000-000000000000' }) origin!: string;
  @ApiProperty({
    type: 'integer',
    description: 'Its last known number of entries; 0: no checkpoint of it is known',
    example: 861,
  })
  size!: number;
  @ApiProperty({
    description: 'Root hash of these entries, in base64',
    example: 'n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=',
  })
  rootHash!: string;
  @ApiProperty({ description: 'Reason given by the operator', example: 'The signing key was lost.' })
  reason!: string;
  @ApiProperty({ description: 'Time of the signed statement' }) at!: Date;
}

export class LogStateResponse {
  @ApiProperty({
    type: 'integer',
    description: 'Number of the log; a log that continues another one has a larger number',
    example: 0,
  })
  epoch!: number;
  @ApiProperty({ description: 'Whether evidence is on (EVIDENCE_KEYS)' }) sealing!: boolean;
  @ApiProperty({
    type: 'integer',
    description: 'Entries covered by the latest signed checkpoint',
    example: 1284,
  })
  size!: number;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'Time of its signature',
    example: '2026-12-01T09:30:00.000Z',
  })
  signedAt!: Date | null;
  @ApiProperty({ type: 'integer', description: 'Entries covered by the public root log', example: 1280 })
  rootedSize!: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why the log is not signed; null: no error' })
  refusal!: string | null;
  @ApiProperty({
    type: FormerLogResponse,
    nullable: true,
    description: 'The log that this log continues, and why; null: it is the first log',
    example: null,
  })
  continues!: FormerLogResponse | null;
}

export class NewestTimeStampResponse {
  @ApiProperty({ type: 'integer', description: 'Entries covered by the stamped checkpoint', example: 1284 })
  size!: number;
  @ApiProperty({ description: 'Time of the stamp, by the clock of the timestamp service' }) stampedAt!: Date;
}

export const TILE_TYPE = 'application/octet-stream';

export const ApiTextResponse = (description: string): MethodDecorator =>
  ApiOkResponse({ description, content: { 'text/plain': { schema: { type: 'string' } } } });

export const ApiBytesResponse = (type: string, description: string): MethodDecorator =>
  ApiOkResponse({ description, content: { [type]: { schema: { type: 'string', format: 'binary' } } } });

/** Hashes in base64, one per line. */
export const hashLines = (hashes: readonly Buffer[]): string =>
  hashes.map((hash) => `${hash.toString('base64')}\n`).join('');

export class ProofQuery {
  @ApiPropertyOptional({ enum: PROOF_FORMATS, default: 'tlog-proof', description: '`pdf`: for people' })
  @IsOptional()
  @IsIn(PROOF_FORMATS, { message: 'format must be tlog-proof or pdf.' })
  format: (typeof PROOF_FORMATS)[number] = 'tlog-proof';

  @ApiPropertyOptional({ enum: MESSAGE_LANGUAGES, default: 'en', description: 'Language of `pdf`' })
  @IsOptional()
  @IsIn(MESSAGE_LANGUAGES, { message: 'language must be en or de.' })
  language: MessageLanguage = 'en';

  @TimeZoneName('Local time of `pdf`: an IANA name')
  timeZone: string = 'UTC';
}

/** For resources that default to the newest log. */
export class NewestQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: EPOCH_MAX,
    description: 'Number of the log, the last part of its origin; defaults to the newest log',
  })
  @IsOptional()
  @QueryInteger({ min: 1, max: EPOCH_MAX })
  epoch?: number;
}

/** For immutable resources. */
export class EpochQuery {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: EPOCH_MAX,
    default: 1,
    description: 'Number of the log, the last part of its origin; 1: the log whose origin has no number',
  })
  @IsOptional()
  @QueryInteger({ min: 1, max: EPOCH_MAX })
  epoch: number = 1;
}

export class ConsistencyQuery extends EpochQuery {
  @ApiProperty({ type: 'integer', minimum: 1, example: 100, description: 'Size of the earlier checkpoint' })
  @QueryInteger({ min: 1 })
  from!: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 120, description: 'Size of the later checkpoint' })
  @QueryInteger({ min: 1 })
  to!: number;
}
