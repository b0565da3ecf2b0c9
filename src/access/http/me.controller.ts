import { Controller, Get } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiProperty, ApiTags, refs } from '@nestjs/swagger';
import { CurrentActor, SignedIn } from '../access.decorators.js';
import type { Actor } from '../domain/actor.js';
import { type Role, ROLES } from '../domain/role.js';

class MyUserDto {
  @ApiProperty({ enum: ['user'] })
  kind!: 'user';

  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'email' })
  email!: string;

  @ApiProperty({ description: 'false: no project can be entered; the address has to be confirmed first.' })
  emailConfirmed!: boolean;

  @ApiProperty({ description: 'Whether the account has a second factor.' })
  secondFactor!: boolean;
}

class MyApiKeyDto {
  @ApiProperty({ enum: ['api_key'] })
  kind!: 'api_key';

  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;
}

@ApiTags('Sign-in')
@ApiExtraModels(MyUserDto, MyApiKeyDto)
@Controller('v1/me')
export class MeController {
  /** Who the credential belongs to: `{ kind: "user", id, email, emailConfirmed, secondFactor }` or `{ kind: "api_key", id, projectId, role }`. */
  @SignedIn()
  @ApiOperation({ summary: 'Who calls' })
  @ApiOkResponse({ schema: { oneOf: refs(MyUserDto, MyApiKeyDto) } })
  @Get()
  me(@CurrentActor() actor: Actor): MyUserDto | MyApiKeyDto {
    return actor.kind === 'user'
      ? {
          kind: 'user',
          id: actor.userId,
          email: actor.email,
          emailConfirmed: actor.emailConfirmed,
          secondFactor: actor.secondFactor,
        }
      : { kind: 'api_key', id: actor.apiKeyId, projectId: actor.projectId, role: actor.role };
  }
}
