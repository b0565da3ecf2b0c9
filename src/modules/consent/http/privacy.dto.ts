import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString, IsUUID, Length, Matches, ValidateIf } from 'class-validator';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { MESSAGE_LANGUAGES, type MessageLanguage } from '../../../platform/messages/messages.js';
import { TimeZoneName } from '../../../platform/http/time-zone.decorator.js';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { ConsentResponse } from './consent.dto.js';
import { REASON_CHARACTERS_MAX, VISITOR_CHARACTERS_MAX } from '../domain/erasure.js';
import { coded } from '../../../platform/errors/field-problem.js';
import { MembersRule } from '../../../platform/openapi/schema-of-checks.js';

const FIELD = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

export class PrivacySettingsBody {
  @ApiProperty({
    type: String,
    nullable: true,
    pattern: FIELD.source,
    description:
      'Additional field whose text or number identifies a visitor; null: none. Changing it re-indexes stored records.',
    example: 'customerId',
  })
  @ValidateIf((dto: PrivacySettingsBody) => dto.visitorReferenceField !== null)
  @Matches(FIELD, {
    message: 'visitorReferenceField must be the name of an additional field, or null.',
    context: coded('field_name'),
  })
  visitorReferenceField!: string | null;

  @ApiProperty({
    description:
      'Whether the value is stored and forwarded only as `sha256:` and a hash with a per-project salt.',
  })
  @IsBoolean()
  visitorReferenceHashed!: boolean;
}

export class PrivacyStateResponse extends PrivacySettingsBody {
  @ApiProperty({
    description:
      'Whether stored records are still being indexed. Until then, results may be incomplete and erasures wait.',
    example: false,
  })
  indexing!: boolean;
}

export const VISITOR_FORMATS = ['json', 'pdf'] as const;

export class VisitorRecordsQuery {
  @ApiProperty({ minLength: 1, maxLength: VISITOR_CHARACTERS_MAX })
  @IsString()
  @Length(1, VISITOR_CHARACTERS_MAX)
  visitorReference!: string;

  @ApiProperty({ enum: VISITOR_FORMATS })
  @IsIn(VISITOR_FORMATS, { message: 'format must be json or pdf.' })
  format!: (typeof VISITOR_FORMATS)[number];

  @ApiPropertyOptional({ enum: MESSAGE_LANGUAGES, default: 'en', description: 'Language of the PDF' })
  @IsOptional()
  @IsIn(MESSAGE_LANGUAGES, { message: 'language must be en or de.' })
  language: MessageLanguage = 'en';

  @TimeZoneName('Time zone of the PDF: an IANA name')
  timeZone: string = 'UTC';
}

export class VisitorFileResponse {
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty({ example: 'Shop' }) projectName!: string;
  @ApiProperty() madeAt!: Date;
  @ApiProperty({ type: [ConsentResponse] }) records!: ConsentResponse[];
}

export class EraseBody {
  @ApiProperty({
    minLength: 1,
    maxLength: REASON_CHARACTERS_MAX,
    description: 'Kept in the audit log for 24 months. Do not include personal data.',
    example: 'Request of 2026-11-20, ticket 4711',
  })
  @TextLine({ min: 1, max: REASON_CHARACTERS_MAX })
  reason!: string;
}

@MembersRule({ oneOf: [{ required: ['visitorReference'] }, { required: ['consentId'] }] })
export class EraseVisitorBody extends EraseBody {
  @ApiPropertyOptional({
    minLength: 1,
    maxLength: VISITOR_CHARACTERS_MAX,
    description: 'Value of the visitor field, as sent by the banner. Send this or `consentId`.',
  })
  @ValidateIf((dto: EraseVisitorBody) => dto.consentId === undefined || dto.visitorReference !== undefined)
  @IsString()
  @Length(1, VISITOR_CHARACTERS_MAX)
  visitorReference?: string;

  @ApiPropertyOptional({
    format: 'uuid',
    description:
      'A record of the visitor: all records with the same visitor key are erased. Without a key: 409 `visitor_key_missing`.',
  })
  @IfGiven()
  @IsUUID(undefined, { message: 'consentId must be the id of a record.' })
  consentId?: string;
}

export class ErasureResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Request of 2026-11-20, ticket 4711' }) reason!: string;
  @ApiProperty() requestedAt!: Date;
  @ApiProperty({ description: 'Records erased so far', example: 3 }) erased!: number;
  @ApiProperty({
    type: Date,
    nullable: true,
    description: 'null: still running; while `indexing`, nothing is erased yet',
  })
  finishedAt!: Date | null;
}
