import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { isUuid } from '../../../platform/identity/ids.js';
import { toPage } from '../../../platform/export/page.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { CurrentActor, SignedIn, SessionOnly } from '../access.decorators.js';
import { OwnInvitations } from '../application/own-invitations.service.js';
import { type Actor, requireUser } from '../domain/actor.js';
import { ownInvitationNotFound } from '../domain/invitation.js';
import { type Role, ROLES } from '../domain/role.js';

class OwnInvitationResponse {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty({ example: 'Shop' })
  projectName!: string;

  @ApiProperty({ enum: ROLES })
  role!: Role;

  @ApiProperty({
    description: 'true: when you accept, you become the owner and the current owner becomes an editor.',
    example: false,
  })
  transfersOwnership!: boolean;

  @ApiProperty({ format: 'date-time' })
  createdAt!: Date;

  @ApiProperty({
    format: 'date-time',
    description: 'Expiry of the invitation.',
    example: '2026-12-08T09:30:00.000Z',
  })
  expiresAt!: Date;
}

class OwnInvitationPageResponse {
  @ApiProperty({ type: [OwnInvitationResponse] })
  items!: OwnInvitationResponse[];

  @ApiProperty({ type: String, nullable: true })
  nextCursor!: string | null;
}

class JoinedResponse {
  @ApiProperty({ format: 'uuid' })
  projectId!: string;

  @ApiProperty({ enum: ROLES, description: 'Role in the project after accepting.' })
  role!: Role;
}

/** Invitations to the caller's own address: becoming a member or an owner requires accepting one. */
@ApiTags('Members')
@SignedIn()
@Controller('v1/me/invitations')
export class OwnInvitationController {
  constructor(private readonly invitations: OwnInvitations) {}

  /** Newest first, without expired ones; 403 `email_not_confirmed`. */
  @SessionOnly()
  @ApiOperation({ summary: 'List your invitations' })
  @ApiOkResponse({ type: OwnInvitationPageResponse })
  @Get()
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery): Promise<OwnInvitationPageResponse> {
    const invitations = await this.invitations.list(requireUser(actor), rowsOf(query));
    return toPage(
      invitations,
      query.limit,
      ({ id }) => id,
      (invitation) => invitation,
    );
  }

  /**
   * 404 `invitation_not_found`; 409 `member_limit_reached`, and as an owner
   * `project_limit_reached`.
   */
  @SessionOnly()
  @ApiConflictResponse({ description: '`member_limit_reached`, `project_limit_reached`' })
  @ApiOperation({ summary: 'Accept an invitation' })
  @ApiOkResponse({ type: JoinedResponse })
  @HttpCode(200)
  @Post(':invitationId/accept')
  accept(@CurrentActor() actor: Actor, @Param('invitationId') invitationId: string): Promise<JoinedResponse> {
    return this.invitations.accept(requireUser(actor), ownId(invitationId));
  }

  /**
   * The invitation disappears for the owners; the project's audit log names who declined it. 404
   * `invitation_not_found`.
   */
  @SessionOnly()
  @ApiOperation({ summary: 'Decline an invitation' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':invitationId')
  async decline(@CurrentActor() actor: Actor, @Param('invitationId') invitationId: string): Promise<void> {
    await this.invitations.decline(requireUser(actor), ownId(invitationId));
  }
}

function ownId(invitationId: string): string {
  if (!isUuid(invitationId)) throw ownInvitationNotFound();
  return invitationId.toLowerCase();
}
