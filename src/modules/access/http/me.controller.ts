import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiExtraModels,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
  refs,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { TextLine } from '../../../platform/http/text.decorator.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { ApiBodyExample, ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import { CurrentActor, SessionOnly, SignedIn } from '../access.decorators.js';
import { OwnAccountService, sessionNotFound, SessionService } from '../application/own-account.service.js';
import { SESSIONS_PER_USER_MAX, SignInService } from '../application/sign-in.service.js';
import { type Actor, requireUser, type UserActor } from '../domain/actor.js';
import { type Role, ROLES } from '../domain/role.js';
import type { SignInClient } from '../domain/session.js';
import { PasswordBody, USER_NAME_CHARACTERS_MAX } from './auth.dto.js';
import { CurrentClient } from './current-client.decorator.js';

class RenameMeBody {
  @ApiProperty({ minLength: 1, maxLength: USER_NAME_CHARACTERS_MAX, description: 'Shown to other members.' })
  @TextLine({ min: 1, max: USER_NAME_CHARACTERS_MAX })
  name!: string;
}

class MyUserResponse {
  @ApiProperty({ enum: ['user'] }) kind!: 'user';
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'Shop owner' }) name!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ description: 'false: no project can be opened until the address is confirmed.' })
  emailConfirmed!: boolean;
  @ApiProperty({ description: 'Whether 2FA is on.' }) secondFactor!: boolean;
}

class MyTokenResponse {
  @ApiProperty({ enum: ['personal_token'] }) kind!: 'personal_token';
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) userId!: string;
  @ApiProperty({ example: 'Shop owner' }) name!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ format: 'date-time', example: '2027-03-01T09:30:00.000Z' }) expiresAt!: Date;
}

class MyApiKeyResponse {
  @ApiProperty({ enum: ['api_key'] }) kind!: 'api_key';
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ format: 'uuid' }) projectId!: string;
  @ApiProperty({ enum: ROLES }) role!: Role;
}

@ApiTags('Sign-in')
@ApiExtraModels(MyUserResponse, MyTokenResponse, MyApiKeyResponse)
@Controller('v1/me')
export class MeController {
  constructor(
    private readonly accounts: OwnAccountService,
    private readonly signIns: SignInService,
  ) {}

  /**
   * The owner of the credential: `{ kind: "user", id, name, email, emailConfirmed, secondFactor }`,
   * `{ kind: "personal_token", id, userId, name, email, expiresAt }` or
   * `{ kind: "api_key", id, projectId, role }`.
   */
  @SignedIn()
  @ApiOperation({ summary: 'Who calls' })
  @ApiOkResponse({ schema: { oneOf: refs(MyUserResponse, MyTokenResponse, MyApiKeyResponse) } })
  @Get()
  me(@CurrentActor() actor: Actor): MyUserResponse | MyTokenResponse | MyApiKeyResponse {
    switch (actor.kind) {
      case 'user':
        return myUser(actor);
      case 'personal_token': {
        const { kind, tokenId: id, userId, name, email, expiresAt } = actor;
        return { kind, id, userId, name, email, expiresAt };
      }
      case 'api_key':
        return { kind: 'api_key', id: actor.apiKeyId, projectId: actor.projectId, role: actor.role };
    }
  }

  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ name: 'Ada Lovelace' })
  @ApiOperation({ summary: 'Change your name' })
  @ApiOkResponse({ type: MyUserResponse })
  @Patch()
  async rename(@CurrentActor() actor: Actor, @Body() { name }: RenameMeBody): Promise<MyUserResponse> {
    const user = requireUser(actor);
    await this.accounts.rename(user, name);
    return myUser({ ...user, name });
  }

  /**
   * Deletes memberships, the API keys and invitations created there, sessions, second factor and
   * the user's security log; each project's audit log gets an event that they left. 401
   * `invalid_credentials`, 409 `last_owner` with the names of the projects.
   */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ password: 'correct horse battery' })
  @ApiSuccessHeaders('Set-Cookie')
  @ApiConflictResponse({ description: '`last_owner`: `detail` names the projects' })
  @ApiOperation({ summary: 'Delete your account' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete()
  async delete(
    @CurrentActor() actor: Actor,
    @Body() { password }: PasswordBody,
    @CurrentClient() { cookie }: SignInClient,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.accounts.delete(requireUser(actor), password);
    response.append('Set-Cookie', await this.signIns.dropCookies(cookie));
  }
}

function myUser({ userId: id, name, email, emailConfirmed, secondFactor }: UserActor): MyUserResponse {
  return { kind: 'user', id, name, email, emailConfirmed, secondFactor };
}

class OwnSessionResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Firefox on Linux',
    description: 'Browser and operating system; null: unknown',
  })
  device!: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Accurate to five minutes; null: not recorded',
  })
  lastUsedAt!: Date | null;
  @ApiProperty({ format: 'date-time', example: '2026-12-08T09:30:00.000Z' }) expiresAt!: Date;
  @ApiProperty({ description: 'Whether this is the session of the request.' }) current!: boolean;
}

class OwnSessionPageResponse {
  @ApiProperty({ type: [OwnSessionResponse], maxItems: SESSIONS_PER_USER_MAX }) items!: OwnSessionResponse[];
  @ApiProperty({ type: String, nullable: true, enum: [null] }) nextCursor!: null;
}

/** A user's own sessions (docs/accounts.md). */
@ApiTags('Sign-in')
@ApiSuccessHeaders('Set-Cookie')
@SignedIn()
@Controller('v1/me/sessions')
export class SessionController {
  constructor(private readonly sessions: SessionService) {}

  /** All of them, newest first: at most 50. */
  @SessionOnly()
  @ApiOperation({ summary: 'List your sessions' })
  @ApiOkResponse({ type: OwnSessionPageResponse })
  @Get()
  async list(@CurrentActor() actor: Actor): Promise<OwnSessionPageResponse> {
    return { items: await this.sessions.list(requireUser(actor)), nextCursor: null };
  }

  /** Except the current session. */
  @SessionOnly()
  @ApiOperation({ summary: 'Sign out of all other sessions' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete()
  async endOthers(@CurrentActor() actor: Actor): Promise<void> {
    await this.sessions.endOthers(requireUser(actor));
  }

  /** 404 `session_not_found`. The current session can be ended, too. */
  @SessionOnly()
  @ApiOperation({ summary: 'Sign out of one session' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':sessionId')
  async end(@CurrentActor() actor: Actor, @Param('sessionId') sessionId: string): Promise<void> {
    const user = requireUser(actor);
    if (!isUuid(sessionId)) throw sessionNotFound();
    await this.sessions.end(user, sessionId.toLowerCase());
  }
}
