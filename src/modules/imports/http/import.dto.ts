import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsInt, IsObject, IsOptional, Max, Min, ValidateBy } from 'class-validator';
import { Transform } from 'class-transformer';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import {
  FILE_NAME_CHARACTERS_MAX,
  FILE_PROBLEMS,
  type FileProblem,
  IMPORT_PROFILES,
  IMPORT_STATES,
  type ImportProfile,
  type ImportState,
  MAPPING_NAME_CHARACTERS_MAX,
  MAPPING_NAMES_MAX,
  MAPPING_TARGETS,
  type MappingTarget,
  REFUSAL_REASONS,
  type RefusalReason,
} from '../domain/import.js';
import { IMPORT_FILE_BYTES_MAX } from '../../licensing/domain/catalogue.js';

const instant = { type: String, format: 'date-time', nullable: true } as const;
const integer = { type: 'integer', minimum: 0 } as const;
const profile = {
  enum: IMPORT_PROFILES,
  description: 'The product from which the file comes (docs/import.md)',
};

export class CreateImportBody {
  @ApiProperty(profile)
  @IsIn(IMPORT_PROFILES)
  profile!: ImportProfile;

  @ApiProperty({ maxLength: FILE_NAME_CHARACTERS_MAX, example: 'consents-2026.csv' })
  @TextLine({ min: 1, max: FILE_NAME_CHARACTERS_MAX })
  fileName!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: IMPORT_FILE_BYTES_MAX,
    description: 'Bytes of the file',
  })
  @IsInt()
  @Min(1)
  @Max(IMPORT_FILE_BYTES_MAX)
  size!: number;
}

/** An object of names and targets. */
function isMapping(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= MAPPING_NAMES_MAX &&
    entries.every(
      ([name, target]) =>
        name !== '__proto__' &&
        name.length > 0 &&
        name.length <= MAPPING_NAME_CHARACTERS_MAX &&
        name.isWellFormed() &&
        !name.includes('\0') &&
        (MAPPING_TARGETS as readonly unknown[]).includes(target),
    )
  );
}

export class StartImportBody {
  @ApiPropertyOptional({
    default: false,
    description: 'Whether the file is only read, and nothing is stored',
  })
  @IfGiven()
  @IsBoolean()
  dryRun?: boolean;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: { type: 'string', enum: [...MAPPING_TARGETS] },
    maxProperties: MAPPING_NAMES_MAX,
    description: 'What their categories and services are here, by their name; usual names are known',
    example: { 'Google Analytics': 'analytics', 'Meta Pixel': 'marketing' },
  })
  @IfGiven()
  @IsObject()
  @ValidateBy({
    name: 'mapping',
    validator: {
      validate: isMapping,
      defaultMessage: () =>
        `mapping must have at most ${MAPPING_NAMES_MAX} names of 1 to ${MAPPING_NAME_CHARACTERS_MAX} characters, each with one of ${MAPPING_TARGETS.join(', ')}.`,
    },
  })
  mapping?: Record<string, MappingTarget>;

  @ApiPropertyOptional({
    default: false,
    description: 'Whether the records are also forwarded, as new records are',
  })
  @IfGiven()
  @IsBoolean()
  forward?: boolean;
}

/** Of a request whose body is the file. */
export class ImportFileQuery {
  @ApiPropertyOptional({ ...profile, description: 'Only if the body is the file: its product' })
  @IsOptional()
  @IsIn(IMPORT_PROFILES)
  profile?: ImportProfile;

  @ApiPropertyOptional({ default: false, description: 'Only if the body is the file: nothing is stored' })
  @IsOptional()
  @Transform(({ value }: { value: unknown }) => (value === 'true' ? true : value === 'false' ? false : value))
  @IsBoolean({ message: 'dryRun must be true or false.' })
  dryRun?: boolean;
}

class ImportRefusalResponse {
  @ApiProperty({ description: 'File in the archive; empty if the file is none', example: '' }) entry!: string;
  @ApiProperty({ type: 'integer', description: 'From 1, without the header', example: 7 }) row!: number;
  @ApiProperty({ enum: REFUSAL_REASONS }) reason!: RefusalReason;
  @ApiProperty({ description: 'Empty if the row has none', example: 'c-4711' }) originalId!: string;
}

class ImportSampleResponse {
  @ApiProperty({ format: 'uuid', description: 'Id of the record' }) id!: string;
  @ApiProperty({ example: 'c-4711' }) originalId!: string;
  @ApiProperty({ format: 'date-time', example: '2026-05-01T10:00:00.000Z' }) givenAt!: string;
  @ApiProperty() analytics!: boolean;
  @ApiProperty() marketing!: boolean;
  @ApiProperty() preferences!: boolean;
  @ApiProperty({ example: 'custom' }) action!: string;
  @ApiProperty({ type: String, nullable: true, example: 'www.shop.example' }) hostname!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'en' }) language!: string | null;
}

class ImportFailureResponse {
  @ApiProperty({ enum: FILE_PROBLEMS }) code!: FileProblem;
  @ApiProperty({ example: 'The file is not UTF-8. Save it as UTF-8.' }) detail!: string;
}

const counted = (description: string): object => ({
  type: 'object',
  additionalProperties: { type: 'integer' },
  description,
  example: {},
});

export class ImportResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty(profile) profile!: ImportProfile;
  @ApiProperty({ example: 'consents-2026.csv' }) fileName!: string;
  @ApiProperty({ ...integer, description: 'Bytes of the file', example: 12_582_912 }) size!: number;
  @ApiProperty({
    enum: IMPORT_STATES,
    description:
      'uploading: parts are missing, or it was not started. checking: a dry run. checked: a dry run has ended. running: records are stored',
  })
  state!: ImportState;
  @ApiProperty({ ...integer, description: 'Parts of the file: 8 MiB each, and the rest', example: 2 })
  partCount!: number;
  @ApiProperty({
    type: [Number],
    description: 'Parts that are not uploaded yet, from 1; at most 100',
    example: [2],
  })
  missingParts!: number[];
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, example: {} })
  mapping!: Record<string, MappingTarget>;
  @ApiProperty({ example: false }) forward!: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'SHA-256 of the file in hex; null until a worker has read all of it',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  sha256!: string | null;
  @ApiProperty({
    type: Number,
    minimum: 0,
    maximum: 1,
    description: 'Share of the file that was read',
    example: 1,
  })
  share!: number;
  @ApiProperty({ ...integer, description: 'Rows of the file', example: 12_433 }) rowsRead!: number;
  @ApiProperty({
    ...integer,
    description: 'Stored consents; in a dry run those that would be',
    example: 12_402,
  })
  stored!: number;
  @ApiProperty({ ...integer, description: 'Consents that were stored before', example: 0 }) repeated!: number;
  @ApiProperty({ ...integer, description: 'Refused consents', example: 31 }) refused!: number;
  @ApiProperty({ type: [ImportRefusalResponse], description: 'The first 100 refused rows' })
  refusals!: ImportRefusalResponse[];
  @ApiProperty(counted('Refused consents by reason')) reasons!: Partial<Record<RefusalReason, number>>;
  @ApiProperty(counted('Consents by category or service without a mapping; at most 100 names'))
  unmapped!: Record<string, number>;
  @ApiProperty(counted('Rows by column that is not stored; at most 100 names'))
  droppedColumns!: Record<string, number>;
  @ApiProperty({ type: [ImportSampleResponse], description: 'The first 50 consents of a dry run' })
  sample!: ImportSampleResponse[];
  @ApiProperty({
    type: ImportFailureResponse,
    nullable: true,
    description: 'Why it failed; null: it did not',
  })
  failure!: ImportFailureResponse | null;
  @ApiProperty({ description: 'Whether the file and the refused rows are deleted: seven days after the end' })
  filesDeleted!: boolean;
  @ApiProperty() createdAt!: Date;
  @ApiProperty({ ...instant, description: 'When storing began; null: it has not' }) startedAt!: Date | null;
  @ApiProperty({ ...instant, description: 'null: it has not ended' }) endedAt!: Date | null;
}

export class ImportPageResponse {
  @ApiProperty({ type: [ImportResponse] }) items!: ImportResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}
