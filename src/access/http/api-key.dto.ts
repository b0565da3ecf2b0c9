import { ApiProperty } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import type { ApiKey } from '../api-key.entity.js';
import { type Role, ROLES } from '../role.js';
import { TextLine } from './text.decorator.js';

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
}

export class ApiKeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({ description: 'The first characters of the key, to recognise it.' })
  prefix!: string;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revokedAt!: Date | null;

  static of({ id, name, role, prefix, createdAt, revokedAt }: ApiKey): ApiKeyDto {
    return { id, name, role, prefix, createdAt, revokedAt: revokedAt ?? null };
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
