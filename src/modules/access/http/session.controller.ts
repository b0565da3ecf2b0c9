import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { CurrentActor, SignedIn, SessionOnly } from '../access.decorators.js';
import { SESSIONS_PER_USER_MAX } from '../application/sign-in.service.js';
import { sessionNotFound, SessionService } from '../application/session.service.js';
import { type Actor, requireUser } from '../domain/actor.js';

class OwnSessionResponse {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Firefox on Linux',
    description: 'Browser and operating system; null: unknown',
  })
  device!: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'Accurate to five minutes; null: not recorded',
  })
  lastUsedAt!: Date | null;

  @ApiProperty({ format: 'date-time', example: '2026-12-08T09:30:00.000Z' })
  expiresAt!: Date;

  @ApiProperty({ description: 'Whether this is the session of the request.' })
  current!: boolean;
}

class OwnSessionPageResponse {
  @ApiProperty({ type: [OwnSessionResponse], maxItems: SESSIONS_PER_USER_MAX })
  items!: OwnSessionResponse[];

  @ApiProperty({ type: String, nullable: true, enum: [null] })
  nextCursor!: null;
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
