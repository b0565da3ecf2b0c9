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
import { ApiBodyExample } from '../../http/api-description.js';
import type { Response } from 'express';
import type { Project } from '../../projects/domain/project.js';
import { isUuid } from '../../shared/ids.js';
import { toPage } from '../../shared/page.js';
import { PageQuery, rowsOf } from '../../http/page-query.js';
import { CurrentActor, CurrentProject, ManagesAccess } from '../access.decorators.js';
import { type InvitationRef, InvitationService } from '../application/invitation.service.js';
import type { Actor } from '../domain/actor.js';
import { invitationNotFound } from '../domain/invitation.js';
import { InvitationDto, InvitationPageDto, InviteBody } from './invitation.dto.js';

/** Invitations to a project by address, for its owners as members are (docs/accounts.md). */
@ApiTags('Members')
@ApiParam({ name: 'projectId', format: 'uuid' })
@ManagesAccess()
@Controller('v1/projects/:projectId/invitations')
export class InvitationController {
  constructor(private readonly invitations: InvitationService) {}

  /** Newest first, expired ones too; not those that were accepted, declined or withdrawn. */
  @ApiOperation({ summary: 'List invitations' })
  @ApiOkResponse({ type: InvitationPageDto })
  @Get()
  async list(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<InvitationPageDto> {
    const invitations = await this.invitations.list(project.id, rowsOf(query));
    return toPage(invitations, query.limit, ({ id }) => id, InvitationDto.of);
  }

  /**
   * As `POST …/members`, for a service that sends mail: 503 `mail_not_configured` elsewhere. The link can be used for
   * seven days. 409 `member_exists`, `invitation_exists`, `invitation_limit_reached`.
   */
  @ApiBodyExample({ email: 'grace@example.com', role: 'editor' })
  @ApiConflictResponse({ description: '`member_exists`, `invitation_exists`, `invitation_limit_reached`' })
  @ApiOperation({ summary: 'Invite an email address' })
  @ApiCreatedResponse({ type: InvitationDto })
  @Post()
  async invite(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() body: InviteBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InvitationDto> {
    const invitation = await this.invitations.inviteByMail(project.id, body, actor);
    return invited(response, project, InvitationDto.of(invitation));
  }

  /** 404 `invitation_not_found`, also once it was accepted, declined or withdrawn. */
  @ApiOperation({ summary: 'Read an invitation' })
  @ApiOkResponse({ type: InvitationDto })
  @Get(':invitationId')
  async read(
    @CurrentProject() project: Project,
    @Param('invitationId') invitationId: string,
  ): Promise<InvitationDto> {
    return InvitationDto.of(await this.invitations.read(invitationRef(project, invitationId)));
  }

  /** Mails another link for seven days more; the one before opens nothing any more. */
  @ApiOperation({ summary: 'Resend an invitation' })
  @ApiOkResponse({ type: InvitationDto })
  @HttpCode(200)
  @Post(':invitationId/resend')
  async resend(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Param('invitationId') invitationId: string,
  ): Promise<InvitationDto> {
    return InvitationDto.of(await this.invitations.resend(invitationRef(project, invitationId), actor));
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

/** The response to a new invitation, which says where to read it. */
export function invited(response: Response, { id }: Project, invitation: InvitationDto): InvitationDto {
  response.location(`/v1/projects/${id}/invitations/${invitation.id}`);
  return invitation;
}

function invitationRef(project: Project, invitationId: string): InvitationRef {
  if (!isUuid(invitationId)) throw invitationNotFound();
  return { projectId: project.id, id: invitationId.toLowerCase() };
}
