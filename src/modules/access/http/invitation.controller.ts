import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import type { Response } from 'express';
import type { Project } from '../../projects/domain/project.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { toPage } from '../../../platform/export/page.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { CurrentActor, CurrentProject, ManagesAccess } from '../access.decorators.js';
import { type InvitationRef, InvitationService } from '../application/invitation.service.js';
import type { Actor } from '../domain/actor.js';
import { invitationNotFound } from '../domain/invitation.js';
import { InvitationResponse, InvitationPageResponse, InviteBody } from './invitation.dto.js';

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
