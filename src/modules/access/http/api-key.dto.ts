import { ApiProperty } from '@nestjs/swagger';
import { ArrayUnique, IsIn } from 'class-validator';
import {
  type ApiKeyFacts,
  KEY_AREAS,
  KEY_SCOPES,
  KEY_SECRETS,
  type KeyArea,
  type KeyScope,
  type KeySecret,
} from '../domain/api-key.js';
import { type Role, ROLES } from '../domain/role.js';
import { IfGiven } from '../../../platform/http/if-given.decorator.js';
import { IsInstant } from '../../../platform/http/instant.decorator.js';
import { Integer } from '../../../platform/http/integer.decorator.js';
import { ListOf } from '../../../platform/http/body-shape.js';
import { MembersRule } from '../../../platform/openapi/schema-of-checks.js';
import { TextLine } from '../../../platform/http/text.decorator.js';

const KEY_NAME_CHARACTERS_MAX = 120;

export class RenameApiKeyBody {
  @ApiProperty({ minLength: 1, maxLength: KEY_NAME_CHARACTERS_MAX })
  @TextLine({ min: 1, max: KEY_NAME_CHARACTERS_MAX })
  name!: string;
}

@MembersRule({
  if: { required: ['scopes'], properties: { scopes: { minItems: 1 } } },
  then: { properties: { role: { const: 'owner' } } },
  dependentSchemas: { limitedTo: { properties: { scopes: { maxItems: 0 } } } },
})
export class CreateApiKeyBody extends RenameApiKeyBody {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role!: Role;

  @ApiProperty({
    enum: KEY_SCOPES,
    isArray: true,
    required: false,
    description:
      'Permissions beyond the role of the key. manage_access: manage members and API keys; requires the role owner.',
  })
  @IfGiven()
  @ListOf({ max: KEY_SCOPES.length })
  @IsIn(KEY_SCOPES, { each: true })
  @ArrayUnique()
  scopes?: KeyScope[];

  @ApiProperty({
    enum: KEY_AREAS,
    isArray: true,
    required: false,
    minItems: 1,
    description: 'Areas the key is limited to, within its role. read: every GET. Omit for full access.',
  })
  @IfGiven()
  @ListOf({ min: 1, max: KEY_AREAS.length })
  @IsIn(KEY_AREAS, { each: true })
  @ArrayUnique()
  limitedTo?: KeyArea[];

  @ApiProperty({
    type: String,
    format: 'date-time',
    required: false,
    description: 'Expiry of the key. Omit for no expiry.',
  })
  @IfGiven()
  @IsInstant()
  expiresAt?: Date;
}

/** Longest overlap of a key's two secrets: a week, as for signing secrets. */
const FORMER_VALID_HOURS_MAX = 7 * 24;
const FORMER_VALID_HOURS_DEFAULT = 24;

export class RotateApiKeyBody {
  @ApiProperty({
    minimum: 0,
    maximum: FORMER_VALID_HOURS_MAX,
    default: FORMER_VALID_HOURS_DEFAULT,
    required: false,
    description: 'Hours the old secret stays valid; 0: it expires immediately.',
  })
  @IfGiven()
  @Integer({ min: 0, max: FORMER_VALID_HOURS_MAX })
  formerValidHours: number = FORMER_VALID_HOURS_DEFAULT;
}

export class ApiKeyResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Nightly export' }) name!: string;
  @ApiProperty({ enum: ROLES }) role!: Role;
  @ApiProperty({ enum: KEY_SCOPES, isArray: true }) scopes!: KeyScope[];
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description:
      'User whose removal revokes the key; null: created by the service, or before this was recorded.',
  })
  createdBy!: string | null;
  @ApiProperty({ description: 'First characters of the key.', example: 'ck_8Fq2' }) prefix!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) revokedAt!: Date | null;
  @ApiProperty({
    type: String,
    format: 'date',
    nullable: true,
    description: 'Day in UTC; null: never used',
    example: '2026-11-30',
  })
  lastUsedOn!: string | null;
  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'null: no expiry' })
  expiresAt!: Date | null;
  @ApiProperty({
    enum: KEY_AREAS,
    isArray: true,
    nullable: true,
    description: 'Areas the key is limited to; null: full access of its role',
  })
  limitedTo!: KeyArea[] | null;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Time until which the secret from before the rotation is valid; null: none',
  })
  formerValidUntil!: Date | null;

  static of(key: ApiKeyFacts): ApiKeyResponse {
    const { id, name, role, scopes, prefix, createdAt } = key;
    return {
      id,
      name,
      role,
      scopes,
      createdBy: key.createdBy ?? null,
      prefix,
      createdAt,
      revokedAt: key.revokedAt ?? null,
      lastUsedOn: key.lastUsedOn ?? null,
      expiresAt: key.expiresAt ?? null,
      limitedTo: key.limitedTo ?? null,
      formerValidUntil: key.formerValidUntil ?? null,
    };
  }
}

export class CreatedApiKeyResponse extends ApiKeyResponse {
  @ApiProperty({
    description: 'The key itself. Returned only once.',
    example: 'ck_8Fq2yKkYw0sXh9uO2a1l8mC4vB7nQ3pR5tZ0dEwFgHj',
  })
  key!: string;
}

export class ApiKeyPageResponse {
  @ApiProperty({ type: [ApiKeyResponse] }) items!: ApiKeyResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

/** A key with a valid secret that a member created. */
export class MemberApiKeyResponse extends ApiKeyResponse {
  @ApiProperty({
    enum: KEY_SECRETS,
    description:
      "Which of the member's secrets the key has. current: removing the member revokes the key. former: it revokes only the old secret from before the last rotation.",
  })
  secret!: KeySecret;
}

export class MemberApiKeyPageResponse {
  @ApiProperty({ type: [MemberApiKeyResponse] }) items!: MemberApiKeyResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}
