import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { isUuid } from '../../../platform/identity/ids.js';
import { ApiRefusals } from '../../../platform/openapi/api-description.js';
import { CurrentActor, SessionOnly, SignedIn } from '../access.decorators.js';
import { PersonalTokenService } from '../application/personal-token.service.js';
import { type Actor, requireUser } from '../domain/actor.js';
import { TOKENS_PER_USER_MAX, tokenNotFound } from '../domain/personal-token.js';

class PersonalTokenResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({ example: 'laptop', description: 'Name of the machine' }) name!: string;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({ format: 'date-time', example: '2027-03-01T09:30:00.000Z' }) expiresAt!: Date;
  @ApiProperty({
    type: String,
    format: 'date',
    nullable: true,
    example: '2026-12-01',
    description: 'UTC; null: not used yet',
  })
  lastUsedOn!: string | null;
}

class PersonalTokenPageResponse {
  @ApiProperty({ type: [PersonalTokenResponse], maxItems: TOKENS_PER_USER_MAX })
  items!: PersonalTokenResponse[];
  @ApiProperty({ type: String, nullable: true, enum: [null] }) nextCursor!: null;
}

/** A person's tokens of the command line (docs/accounts.md). */
@ApiTags('Sign-in')
@SignedIn()
@Controller('v1/me/tokens')
export class PersonalTokenController {
  constructor(private readonly tokens: PersonalTokenService) {}

  /** All valid ones, newest first: at most 20; without the tokens. */
  @SessionOnly()
  @ApiOperation({ summary: 'List your personal tokens' })
  @ApiOkResponse({ type: PersonalTokenPageResponse })
  @Get()
  async list(@CurrentActor() actor: Actor): Promise<PersonalTokenPageResponse> {
    return { items: await this.tokens.list(requireUser(actor)), nextCursor: null };
  }

  /** The token of the request, as `consent logout` does. 404 `personal_token_not_found` for any other credential. */
  @ApiRefusals(404)
  @ApiOperation({ summary: 'Revoke the personal token of the request' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete('current')
  async revokeCurrent(@CurrentActor() actor: Actor): Promise<void> {
    if (actor.kind !== 'personal_token') throw tokenNotFound();
    await this.tokens.revoke(actor, actor.tokenId);
  }

  /** 404 `personal_token_not_found`. Requests with the token get 401 at once. */
  @SessionOnly()
  @ApiOperation({ summary: 'Revoke a personal token' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':tokenId')
  async revoke(@CurrentActor() actor: Actor, @Param('tokenId') tokenId: string): Promise<void> {
    const user = requireUser(actor);
    if (!isUuid(tokenId)) throw tokenNotFound();
    await this.tokens.revoke(user, tokenId.toLowerCase());
  }
}
