import { ApiProperty } from '@nestjs/swagger';
import { ArrayUnique, IsArray, IsIn } from 'class-validator';
import type { ApiKeyFacts } from '../domain/api-key.js';
import { KEY_SCOPES, type KeyScope } from '../domain/key-scope.js';
import { type Role, ROLES } from '../domain/role.js';
import { IfGiven } from '../../shared/if-given.decorator.js';
import { TextLine } from '../../shared/text.decorator.js';

const KEY_NAME_CHARACTERS_MAX = 120;

export class RenameApiKeyBody {
  @ApiProperty({ minLength: 1, maxLength: KEY_NAME_CHARACTERS_MAX })
  @TextLine({ min: 1, max: KEY_NAME_CHARACTERS_MAX })
  name!: string;
}

export class CreateApiKeyBody extends RenameApiKeyBody {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role!: Role;

  @ApiProperty({
    enum: KEY_SCOPES,
    isArray: true,
    required: false,
    description:
      'What the key may do beyond its role; manage_access: members and API keys, role owner alone.',
  })
  @IfGiven()
  @IsArray()
  @IsIn(KEY_SCOPES, { each: true })
  @ArrayUnique()
  scopes?: KeyScope[];
}

export class ApiKeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({ enum: KEY_SCOPES, isArray: true })
  scopes!: KeyScope[];

  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The user whose removal revokes the key; null: the service itself made it, or it is older.',
  })
  createdBy!: string | null;

  @ApiProperty({ description: 'The first characters of the key, to recognise it.' })
  prefix!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revokedAt!: Date | null;

  static of({ id, name, role, scopes, createdBy, prefix, createdAt, revokedAt }: ApiKeyFacts): ApiKeyDto {
    const maker = createdBy ?? null;
    return { id, name, role, scopes, createdBy: maker, prefix, createdAt, revokedAt: revokedAt ?? null };
  }
}

export class CreatedApiKeyDto extends ApiKeyDto {
  @ApiProperty({ description: 'The key itself, this once.' })
  key!: string;
}

export class ApiKeyPageDto {
  @ApiProperty({ type: [ApiKeyDto] })
  items!: ApiKeyDto[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}
