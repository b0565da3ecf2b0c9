import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, Max, Min } from 'class-validator';

const PROOF_FORMATS = ['tlog-proof', 'pdf'] as const;

export class LogStateView {
  @ApiProperty({ description: 'Whether records are sealed at all (EVIDENCE_KEYS)' }) sealing!: boolean;
  @ApiProperty({ type: 'integer', description: 'Entries that the newest signed checkpoint covers' })
  size!: number;
  @ApiProperty({ type: Date, nullable: true, description: 'When that was signed' }) signedAt!: Date | null;
  @ApiProperty({ type: 'integer', description: 'Entries that the public log of all projects covers' })
  rootedSize!: number;
  @ApiProperty({ type: String, nullable: true, description: 'Why nothing is signed; null: nothing is wrong' })
  refusal!: string | null;
}

export class NewestTimeStampView {
  @ApiProperty({ type: 'integer', description: 'Entries that the stamped checkpoint covers' }) size!: number;
  @ApiProperty({ description: 'When it was stamped, by the clock of the time-stamp service' })
  stampedAt!: Date;
}

/** Hashes as they are answered, in base64, one a line. */
export const hashLines = (hashes: readonly Buffer[]): string =>
  hashes.map((hash) => `${hash.toString('base64')}\n`).join('');

export class ProofPendingView {
  @ApiProperty({ enum: ['pending'] }) status!: 'pending';
}

export class ProofQuery {
  @ApiPropertyOptional({
    enum: PROOF_FORMATS,
    default: 'tlog-proof',
    description: '`pdf`: a page for people',
  })
  @IsOptional()
  @IsIn(PROOF_FORMATS, { message: 'format must be tlog-proof or pdf.' })
  format: (typeof PROOF_FORMATS)[number] = 'tlog-proof';
}

export class ConsistencyQuery {
  @ApiProperty({ type: 'integer', minimum: 1, example: 100, description: 'Size of the earlier checkpoint' })
  @Type(() => Number)
  @IsInt({ message: 'from must be a whole number, the size of the earlier checkpoint.' })
  @Min(1, { message: 'from must be at least 1.' })
  @Max(Number.MAX_SAFE_INTEGER, { message: 'from is no size of a log.' })
  from!: number;

  @ApiProperty({ type: 'integer', minimum: 1, example: 120, description: 'Size of the later checkpoint' })
  @Type(() => Number)
  @IsInt({ message: 'to must be a whole number, the size of the later checkpoint.' })
  @Min(1, { message: 'to must be at least 1.' })
  @Max(Number.MAX_SAFE_INTEGER, { message: 'to is no size of a log.' })
  to!: number;
}
