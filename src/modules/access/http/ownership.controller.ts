import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import { IsUUID } from 'class-validator';
import type { Response } from 'express';
import type { Project } from '../../projects/domain/project.js';
import { CurrentActor, CurrentProject, ProjectRole, SessionOnly } from '../access.decorators.js';
import { InvitationService } from '../application/invitation.service.js';
import { MembershipService } from '../application/membership.service.js';
import { type Actor, requireUser } from '../domain/actor.js';
import { invited } from './invitation.controller.js';
import { InvitationResponse } from './invitation.dto.js';

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
