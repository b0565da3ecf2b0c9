import { ApiProperty, ApiPropertyOptional, IntersectionType, type OpenAPIObject } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsIn,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  MaxLength,
  ValidateBy,
} from 'class-validator';
import { IsInstant } from '../../shared/instant.js';
import { PageQuery } from '../../shared/page-query.js';
import { UUID_V7 } from '../../shared/ids.js';
import { described, patternOf } from '../../shared/schema-of-checks.js';
import { VISITOR_CHARACTERS_MAX } from '../domain/erasure.js';
import { DELIVERY_STATES, type DeliveryStateName } from '../domain/consent-recorded.js';
import { DOCUMENTED_ACTIONS } from '../domain/consent-counts.js';
import {
  ACTION,
  CONFIG_HASH,
  FORBIDDEN_KEYS,
  HOSTNAME,
  HOSTNAME_CHARACTERS_MAX,
  isLanguage,
  LANGUAGE,
  LANGUAGE_CHARACTERS_MAX,
  RESERVED_FIELDS,
  SURFACES,
} from '../domain/consent-input.js';

export const CONSENT_EXAMPLE = {
  analytics: true,
  marketing: false,
  preferences: true,
  action: 'custom',
  hostname: 'www.example.com',
  language: 'en',
  surface: 'preferences',
  policyVersion: '2026-11',
};

const OTHERWISE = 'Any other value is kept as an additional field.';

/** The body of the ingest, which `parseConsent` checks by hand. */
export const CONSENT_BODY_SCHEMA = {
  type: 'object',
  required: ['analytics', 'marketing', 'preferences', 'action'],
  properties: {
    id: {
      type: 'string',
      format: 'uuid',
      nullable: true,
      pattern: patternOf(UUID_V7),
      description: 'UUIDv7 that the banner made, one for each decision; at most 7 days old, 5 minutes ahead',
    },
    analytics: { type: 'boolean' },
    marketing: { type: 'boolean' },
    preferences: { type: 'boolean' },
    action: {
      type: 'string',
      pattern: ACTION.source,
      description: `Documented: ${DOCUMENTED_ACTIONS.join(', ')}; others are taken`,
    },
    hostname: {
      type: 'string',
      nullable: true,
      maxLength: HOSTNAME_CHARACTERS_MAX,
      pattern: String.raw`${patternOf(HOSTNAME)}|^\[[0-9A-Fa-f:.]{2,45}\]$`,
    },
    configHash: {
      description: `What was shown: the \`configHash\` of the published configuration, 64 hex digits. ${OTHERWISE}`,
    },
    language: { description: `Language that was shown, a tag of BCP 47. ${OTHERWISE}` },
    surface: { description: `Where the choice was made: ${SURFACES.join(', ')}. ${OTHERWISE}` },
    visitorKeyHash: {
      description: `Of the key that the visitor's device keeps, 76 hex digits: when it was made, and its SHA-256 (docs/visitors.md). With the key she finds her records herself (\`/v1/visitor/…\`). It is neither shown nor forwarded. ${OTHERWISE}`,
    },
    custom_endpoint: { nullable: true, description: 'Legacy; used where the project has no endpoint' },
  },
  additionalProperties: true,
  propertyNames: { not: { enum: [...FORBIDDEN_KEYS, ...RESERVED_FIELDS] } },
  description: 'Every further key is an additional field: at most 32 of them, 4 levels deep, 4 KiB in all',
  example: CONSENT_EXAMPLE,
} as NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

/** The response to the banner. */
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
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Hash of the published configuration that was shown',
  })
  configHash!: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'pt-BR', description: 'Language that was shown' })
  language!: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    enum: [...SURFACES, null],
    description: 'Where the choice was made',
  })
  surface!: string | null;
  @ApiProperty() receivedAt!: Date;
  @ApiProperty({
    description: 'Every further field that the banner sent',
    type: Object,
    additionalProperties: true,
  })
  additionalFields!: Record<string, unknown>;
  @ApiPropertyOptional({
    type: Object,
    nullable: true,
    additionalProperties: true,
    description:
      'Only on a single record: its last delivery, `{ outcome: "pending" }` while one is to come, or `{ outcome: "unsent", reason }` where it was stored while forwarding was off (`off`) or not of the tier (`tier`)',
  })
  delivery?: unknown;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description:
      'Only on a single record: `{ status, index, isInRootLog }`, whether it is sealed (`off`, `never` where it is older than the log, `pending`, `sealed`), its place in the log of the project, and whether the public log of all covers it (docs/evidence.md)',
  })
  evidence?: unknown;
}

/** A page of records. */
export class ConsentPageView {
  @ApiProperty({ type: [ConsentView] }) items!: ConsentView[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
  @ApiProperty({ type: Date, nullable: true, description: 'Looked through down to here; null: to the end' })
  searchedTo!: Date | null;
  @ApiPropertyOptional({
    description:
      'Only with `visitorReference`: whether stored records are still gone through, so that more may be found later',
  })
  indexing?: boolean;
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
  @Matches(ACTION, {
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

  @ApiPropertyOptional({ description: 'Hash of the published configuration that was shown' })
  @IsOptional()
  @Matches(CONFIG_HASH, { message: 'configHash must be the hash of a publication, 64 hex digits.' })
  configHash?: string;

  @ApiPropertyOptional({
    maxLength: LANGUAGE_CHARACTERS_MAX,
    description: 'Language that was shown, in any case',
  })
  @IsOptional()
  @ValidateBy({
    name: 'language',
    constraints: described({
      type: 'string',
      maxLength: LANGUAGE_CHARACTERS_MAX,
      pattern: patternOf(LANGUAGE),
    }),
    validator: { validate: isLanguage, defaultMessage: () => 'language must be a tag such as en or pt-BR.' },
  })
  language?: string;

  @ApiPropertyOptional({ enum: SURFACES, description: 'Where the choice was made' })
  @IsOptional()
  @IsIn(SURFACES, { message: `surface must be one of ${SURFACES.join(', ')}.` })
  surface?: string;
}

/** A page of the records that the filters match. */
export class ConsentListQuery extends IntersectionType(PageQuery, ConsentFilterQuery) {
  @ApiPropertyOptional({ format: 'uuid', description: 'One record' })
  @IsOptional()
  @IsUUID(undefined, { message: 'id must be the id of a record.' })
  id?: string;

  @ApiPropertyOptional({
    enum: DELIVERY_STATES,
    description:
      'What became of it: how its latest attempt ended, `pending` while one is to come, `unsent` where it was stored while it was not to be sent. Fewer records are looked at for each page than with other filters; see `searchedTo`.',
  })
  @IsOptional()
  @IsIn(DELIVERY_STATES, { message: `delivery must be one of ${DELIVERY_STATES.join(', ')}.` })
  delivery?: DeliveryStateName;

  @ApiPropertyOptional({
    maxLength: VISITOR_CHARACTERS_MAX,
    description:
      'Records of one visitor: the value of the field that the privacy settings name, as the banner sent it. Without such a field 409 `visitor_reference_not_configured`.',
  })
  @IsOptional()
  @IsString()
  @Length(1, VISITOR_CHARACTERS_MAX)
  visitorReference?: string;
}
