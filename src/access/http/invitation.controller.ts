import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { Project } from '../../projects/domain/project.js';
import { isUuid } from '../../shared/ids.js';
import { pageOf } from '../../shared/page.js';
import { PageQuery, rowsOf } from '../../shared/page-query.js';
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

  /** Newest first, those that have ended too; who has been taken up is a member instead. */
  @ApiOperation({ summary: 'List invitations' })
  @ApiOkResponse({ type: InvitationPageDto })
  @Get()
  async list(@CurrentProject() project: Project, @Query() query: PageQuery): Promise<InvitationPageDto> {
    const invitations = await this.invitations.list(project.id, rowsOf(query));
    return pageOf(invitations, query.limit, ({ id }) => id, InvitationDto.of);
  }

  /** Mails a link that is good for seven days; 409 `member_exists`, `invitation_exists`. */
  @ApiOperation({ summary: 'Invite an address' })
  @ApiCreatedResponse({ type: InvitationDto })
  @Post()
  async invite(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @Body() body: InviteBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<InvitationDto> {
    const invitation = await this.invitations.invite(project.id, body, actor);
    response.location(`/v1/projects/${project.id}/invitations/${invitation.id}`);
    return InvitationDto.of(invitation);
  }

  /** Mails another link for seven days more; the one before opens nothing any more. */
  @ApiOperation({ summary: 'Send an invitation again' })
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

function invitationRef(project: Project, invitationId: string): InvitationRef {
  if (!isUuid(invitationId)) throw invitationNotFound();
  return { projectId: project.id, id: invitationId.toLowerCase() };
}
