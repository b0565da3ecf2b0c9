import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
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
import type { Response } from 'express';
import { toPage } from '../../../platform/export/page.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { CurrentActor, CurrentProject, ManagesAccess, SessionOnly, SignedIn } from '../access.decorators.js';
import { OwnInvitations } from '../application/accept-invitation.js';
import { type InvitationRef, InvitationService } from '../application/invitation.service.js';
import { invitationNotFound, ownInvitationNotFound } from '../domain/account-link.js';
import { type Actor, requireUser } from '../domain/actor.js';
import { InvitationPageResponse, InvitationResponse, InviteBody, JoinedResponse } from './invitation.dto.js';

/** Invitations to a project by address, for its owners, like members (docs/accounts.md). */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@ManagesAccess()
@Controller('v1/projects/:projectId/invitations')
export class InvitationController {
  constructor(private readonly invitations: InvitationService) {}

  /** Newest first, including expired ones; without accepted, declined and withdrawn ones. */
  @ApiOperation({ summary: 'List invitations' })
  @ApiOkResponse({ type: InvitationPageResponse })
  @Get()
  async list(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<InvitationPageResponse> {
    const invitations = await this.invitations.list(project.id, rowsOf(query));
    return toPage(invitations, query.limit, ({ id }) => id, InvitationResponse.of);
  }

  /**
   * Like `POST …/members`, but 503 `mail_not_configured` if the service sends no mail. The link can
   * be used for seven days. 409 `member_exists`, `invitation_exists`, `invitation_limit_reached`.
   */
  @ApiBodyExample({ email: 'grace@example.com', role: 'editor' })
  @ApiConflictResponse({ description: '`member_exists`, `invitation_exists`, `invitation_limit_reached`' })
  @ApiOperation({ summary: 'Invite an email address' })
  @ApiCreatedResponse({ type: InvitationResponse })
  @Post()
  async invite(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() body: InviteBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InvitationResponse> {
    const invitation = await this.invitations.inviteByMail(project.id, body, actor);
    return invited(response, project, InvitationResponse.of(invitation));
  }

  /** 404 `invitation_not_found`, also after it was accepted, declined or withdrawn. */
  @ApiOperation({ summary: 'Read an invitation' })
  @ApiOkResponse({ type: InvitationResponse })
  @Get(':invitationId')
  async read(
    @CurrentProject() project: Project,
    @Param('invitationId') invitationId: string,
  ): Promise<InvitationResponse> {
    return InvitationResponse.of(await this.invitations.read(invitationRef(project, invitationId)));
  }

  /** Mails a new link, valid for seven days; the previous one expires. */
  @ApiOperation({ summary: 'Resend an invitation' })
  @ApiOkResponse({ type: InvitationResponse })
  @HttpCode(200)
  @Post(':invitationId/resend')
  async resend(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Param('invitationId') invitationId: string,
  ): Promise<InvitationResponse> {
    return InvitationResponse.of(await this.invitations.resend(invitationRef(project, invitationId), actor));
  }

  @ApiOperation({ summary: 'Withdraw an invitation' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':invitationId')
  async withdraw(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Param('invitationId') invitationId: string,
  ): Promise<void> {
    await this.invitations.withdraw(invitationRef(project, invitationId), actor);
  }
}

/** The response to a new invitation, with its `Location`. */
export function invited(
  response: Response,
  { id }: Project,
  invitation: InvitationResponse,
): InvitationResponse {
  response.location(`/v1/projects/${id}/invitations/${invitation.id}`);
  return invitation;
}

function invitationRef(project: Project, invitationId: string): InvitationRef {
  if (!isUuid(invitationId)) throw invitationNotFound();
  return { projectId: project.id, id: invitationId.toLowerCase() };
}

class OwnInvitationResponse extends JoinedResponse {
  @ApiProperty({ format: 'uuid' }) id!: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'null: it is to an organization.',
    example: 'Shop',
  })
  projectName!: string | null;
  @ApiProperty({ type: String, nullable: true, description: 'null: it is to a project.', example: null })
  organizationName!: string | null;
  @ApiProperty({
    description: 'true: when you accept, you become the owner and the current owner becomes an editor.',
    example: false,
  })
  transfersOwnership!: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt!: Date;
  @ApiProperty({
    format: 'date-time',
    description: 'Expiry of the invitation.',
    example: '2026-12-08T09:30:00.000Z',
  })
  expiresAt!: Date;
}

class OwnInvitationPageResponse {
  @ApiProperty({ type: [OwnInvitationResponse] }) items!: OwnInvitationResponse[];
  @ApiProperty({ type: String, nullable: true }) nextCursor!: string | null;
}

/** Invitations to the caller's own address, of projects and organizations: joining requires accepting one. */
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
   * 404 `invitation_not_found`; 409 `member_limit_reached`, as an owner `project_limit_reached`, and
   * as an admin `organization_limit_reached`.
   */
  @SessionOnly()
  @ApiConflictResponse({
    description: '`member_limit_reached`, `project_limit_reached`, `organization_limit_reached`',
  })
  @ApiOperation({ summary: 'Accept an invitation' })
  @ApiOkResponse({ type: JoinedResponse })
  @HttpCode(200)
  @Post(':invitationId/accept')
  accept(@CurrentActor() actor: Actor, @Param('invitationId') invitationId: string): Promise<JoinedResponse> {
    return this.invitations.accept(requireUser(actor), ownId(invitationId));
  }

  /**
   * The invitation disappears for those who sent it; the audit log names who declined it. 404
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
