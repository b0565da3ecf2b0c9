import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { IsIn, IsUUID } from 'class-validator';
import type { Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { toPage } from '../../../platform/export/page.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import {
  CurrentActor,
  CurrentProject,
  ManagesAccess,
  ProjectRole,
  SessionOnly,
} from '../access.decorators.js';
import { InvitationService } from '../application/invitation.service.js';
import { MembershipService } from '../application/membership.service.js';
import { type Actor, requireUser } from '../domain/actor.js';
import { type Role, ROLES } from '../domain/role.js';
import { ApiKeyResponse, MemberApiKeyPageResponse } from './api-key.dto.js';
import { invited } from './invitation.controller.js';
import { InvitationResponse, InviteBody } from './invitation.dto.js';

class ChangeRoleBody {
  @ApiProperty({ enum: ROLES })
  @IsIn(ROLES)
  role!: Role;
}

class MemberResponse {
  @ApiProperty({ format: 'uuid' }) userId!: string;
  @ApiProperty({ format: 'email' }) email!: string;
  @ApiProperty({ example: 'Shop owner' }) name!: string;
  @ApiProperty({ enum: ROLES }) role!: Role;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({ description: 'Whether 2FA is on for the account; see the sign-in policy.' })
  secondFactor!: boolean;
}

class MemberPageResponse {
  @ApiProperty({ type: [MemberResponse] }) items!: MemberResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

/**
 * Members of a project, for its owners (design §5) in a session, or with a key that has the scope
 * `manage_access`; with another key 403 `scope_required`.
 */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@ManagesAccess()
@Controller('v1/projects/:projectId/members')
export class MemberController {
  constructor(
    private readonly memberships: MembershipService,
    private readonly invitations: InvitationService,
  ) {}

  @ApiOperation({ summary: 'List members' })
  @ApiOkResponse({ type: MemberPageResponse })
  @Get()
  async list(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<MemberPageResponse> {
    const members = await this.memberships.members(project.id, rowsOf(query));
    return toPage(
      members,
      query.limit,
      (member) => member.userId,
      (member) => member,
    );
  }

  /**
   * Creates an invitation, with or without an account, and mails a link if the service sends mail.
   * A person becomes a member by accepting it: by the link, or signed in (`GET
   * /v1/me/invitations`). A member can be invited as an owner. 409 `member_exists`,
   * `invitation_exists`, `invitation_limit_reached`.
   */
  @ApiBodyExample({ email: 'grace@example.com', role: 'editor' })
  @ApiConflictResponse({ description: '`member_exists`, `invitation_exists`, `invitation_limit_reached`' })
  @ApiOperation({ summary: 'Invite a member by email' })
  @ApiCreatedResponse({ type: InvitationResponse })
  @Post()
  async add(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() body: InviteBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InvitationResponse> {
    const invitation = await this.invitations.invite(project.id, body, actor);
    return invited(response, project, InvitationResponse.of(invitation));
  }

  @ApiOperation({ summary: 'Read a member' })
  @ApiOkResponse({ type: MemberResponse })
  @Get(':userId')
  read(@CurrentProject() project: Project, @Param('userId') userId: string): Promise<MemberResponse> {
    return this.memberships.read(memberRef(project, userId));
  }

  /**
   * The active API keys with a current or former secret that the member created. Removing the
   * member revokes each key, or only its former secret; lowering the role does so for keys with a
   * higher one. `nextCursor` is always null.
   */
  @ApiOperation({ summary: 'List the API keys that are revoked when a member is removed' })
  @ApiOkResponse({ type: MemberApiKeyPageResponse })
  @Get(':userId/api-keys')
  async keysOf(
    @CurrentProject() project: Project,
    @Param('userId') userId: string,
  ): Promise<MemberApiKeyPageResponse> {
    const made = await this.memberships.keysOf(memberRef(project, userId));
    return {
      items: made.map(({ apiKey, secret }) => ({ ...ApiKeyResponse.of(apiKey), secret })),
      nextCursor: null,
    };
  }

  /**
   * 409 `last_owner` if the project would have no owner, `acceptance_required` for the role owner:
   * invite the member as an owner instead. Revokes keys that the member created with a higher role
   * than the new one.
   */
  @ApiBodyExample({ role: 'viewer' })
  @ApiConflictResponse({ description: '`last_owner`, `acceptance_required`' })
  @ApiOperation({ summary: "Change a member's role" })
  @ApiOkResponse({ type: MemberResponse })
  @Patch(':userId')
  changeRole(
    @CurrentProject() project: Project,
    @Param('userId') userId: string,
    @CurrentActor() actor: Actor,
    @Body() body: ChangeRoleBody,
  ): Promise<MemberResponse> {
    return this.memberships.changeRole(memberRef(project, userId), body.role, actor);
  }

  /**
   * 409 `last_owner` if the project would have no owner. Revokes every API key that the member
   * created; `GET …/members/:userId/api-keys` lists them.
   */
  @ApiConflictResponse({ description: '`last_owner`' })
  @ApiOperation({ summary: 'Remove a member' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':userId')
  async remove(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Param('userId') userId: string,
  ): Promise<void> {
    await this.memberships.remove(memberRef(project, userId), actor);
  }
}

function memberRef(project: Project, userId: string): { projectId: string; userId: string } {
  if (!isUuid(userId)) throw new DomainError('member_not_found', 'Member not found in this project.');
  return { projectId: project.id, userId: userId.toLowerCase() };
}

class OfferOwnershipBody {
  @ApiProperty({ format: 'uuid', description: 'A member of the project.' })
  @IsUUID()
  userId!: string;
}

/** A member leaves, or offers the ownership to another; with a session. */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@Controller('v1/projects/:projectId')
export class OwnershipController {
  constructor(
    private readonly memberships: MembershipService,
    private readonly invitations: InvitationService,
  ) {}

  /**
   * Invites a member to become the owner. When they accept, they are the owner and the caller is an
   * editor; both get a mail. Until then nothing changes, and the offer can be withdrawn like every
   * invitation. 404 `member_not_found`, 409 `member_exists` for an owner, `invitation_exists`.
   */
  @ProjectRole('owner')
  @SessionOnly()
  @ApiBodyExample({ userId: '01938c5e-7a3b-7c11-9f00-2b5e8d3c4a1f' })
  @ApiConflictResponse({ description: '`member_exists`, `invitation_exists`, `invitation_limit_reached`' })
  @ApiOperation({ summary: 'Offer ownership to a member' })
  @ApiCreatedResponse({ type: InvitationResponse })
  @Post('ownership')
  async offer(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() { userId }: OfferOwnershipBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InvitationResponse> {
    const ref = { projectId: project.id, userId: userId.toLowerCase() };
    const invitation = await this.invitations.offerOwnership(ref, requireUser(actor));
    return invited(response, project, InvitationResponse.of(invitation));
  }

  /** Revokes the keys that the caller created on the project. 409 `last_owner`. */
  @ProjectRole('viewer')
  @SessionOnly()
  @ApiConflictResponse({ description: '`last_owner`' })
  @ApiOperation({ summary: 'Leave a project' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Post('leave')
  async leave(@CurrentProject() project: Project, @CurrentActor() actor: Actor): Promise<void> {
    await this.memberships.leave(project.id, requireUser(actor));
  }
}
