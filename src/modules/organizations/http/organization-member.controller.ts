import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { DomainError } from '../../../platform/errors/domain-error.js';
import { toPage } from '../../../platform/export/page.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { isUuid } from '../../../platform/identity/ids.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import {
  CurrentActor,
  CurrentOrganization,
  OrganizationAccess,
  SessionOnly,
} from '../../access/access.decorators.js';
import { type Actor, requireUser } from '../../access/domain/actor.js';
import { EmailAddress } from '../../access/email-address.decorator.js';
import {
  type OrganizationInvitationRef,
  OrganizationInvitationService,
} from '../application/organization-invitation.service.js';
import { OrganizationMemberService } from '../application/organization-member.service.js';
import type { Organization } from '../domain/organization.js';
import { organizationMemberNotFound, type OrganizationMemberRef } from '../organization-memberships.js';
import {
  OrganizationInvitationPageResponse,
  OrganizationInvitationResponse,
  OrganizationMemberPageResponse,
  OrganizationMemberResponse,
  OrganizationRolesBody,
  rolesIn,
} from './organization.dto.js';

/** Members of an organization, for its admins. */
@ApiTags('Organizations')
@ApiParam({ name: 'organizationId', format: 'uuid' })
@OrganizationAccess('admin')
@Controller('v1/organizations/:organizationId/members')
export class OrganizationMemberController {
  constructor(private readonly members: OrganizationMemberService) {}

  @ApiOperation({ summary: 'List the members of an organization' })
  @ApiOkResponse({ type: OrganizationMemberPageResponse })
  @Get()
  async list(
    @CurrentOrganization() { id }: Organization,
    @Query() query: PageQuery,
  ): Promise<OrganizationMemberPageResponse> {
    const members = await this.members.list(id, rowsOf(query));
    return toPage(
      members,
      query.limit,
      (member) => member.userId,
      (member) => member,
    );
  }

  @ApiOperation({ summary: 'Read a member of an organization' })
  @ApiOkResponse({ type: OrganizationMemberResponse })
  @Get(':userId')
  read(
    @CurrentOrganization() organization: Organization,
    @Param('userId') userId: string,
  ): Promise<OrganizationMemberResponse> {
    return this.members.read(memberRef(organization, userId));
  }

  /**
   * Revokes the keys of the member on the organization's projects that have a higher role than the
   * new one. 409 `last_admin` if the organization would have no admin, `acceptance_required` for the
   * role admin: invite the member as an admin instead.
   */
  @SessionOnly()
  @ApiBodyExample({ role: 'member', projectRole: 'editor' })
  @ApiConflictResponse({ description: '`last_admin`, `acceptance_required`' })
  @ApiOperation({ summary: 'Change the roles of a member of an organization' })
  @ApiOkResponse({ type: OrganizationMemberResponse })
  @Patch(':userId')
  changeRoles(
    @CurrentOrganization() organization: Organization,
    @Param('userId') userId: string,
    @CurrentActor() actor: Actor,
    @Body() body: OrganizationRolesBody,
  ): Promise<OrganizationMemberResponse> {
    return this.members.changeRoles(memberRef(organization, userId), rolesIn(body), requireUser(actor));
  }

  /**
   * The member loses the organization's projects at once, except those that they are a member of,
   * and the keys that they created there. 409 `last_admin`.
   */
  @SessionOnly()
  @ApiConflictResponse({ description: '`last_admin`' })
  @ApiOperation({ summary: 'Remove a member of an organization' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':userId')
  async remove(
    @CurrentOrganization() organization: Organization,
    @CurrentActor() actor: Actor,
    @Param('userId') userId: string,
  ): Promise<void> {
    await this.members.remove(memberRef(organization, userId), requireUser(actor));
  }
}

function memberRef(organization: Organization, userId: string): OrganizationMemberRef {
  if (!isUuid(userId)) throw organizationMemberNotFound();
  return { organizationId: organization.id, userId: userId.toLowerCase() };
}

class InviteToOrganizationBody extends OrganizationRolesBody {
  @EmailAddress('With or without an account.')
  email!: string;
}

/** Invitations to an organization by address, for its admins. People accept them like those to a project. */
@ApiTags('Organizations')
@ApiParam({ name: 'organizationId', format: 'uuid' })
@OrganizationAccess('admin')
@Controller('v1/organizations/:organizationId/invitations')
export class OrganizationInvitationController {
  constructor(private readonly invitations: OrganizationInvitationService) {}

  /** Newest first, including expired ones; without accepted, declined and withdrawn ones. */
  @ApiOperation({ summary: 'List the invitations to an organization' })
  @ApiOkResponse({ type: OrganizationInvitationPageResponse })
  @Get()
  async list(
    @CurrentOrganization() { id }: Organization,
    @Query() query: PageQuery,
  ): Promise<OrganizationInvitationPageResponse> {
    const invitations = await this.invitations.list(id, rowsOf(query));
    return toPage(invitations, query.limit, (invitation) => invitation.id, OrganizationInvitationResponse.of);
  }

  /**
   * Creates an invitation, with or without an account, and mails a link if the service sends mail. A
   * member can be invited as an admin. 409 `member_exists`, `invitation_exists`,
   * `invitation_limit_reached`.
   */
  @SessionOnly()
  @ApiBodyExample({ email: 'grace@example.com', role: 'member', projectRole: 'editor' })
  @ApiConflictResponse({ description: '`member_exists`, `invitation_exists`, `invitation_limit_reached`' })
  @ApiOperation({ summary: 'Invite an email address to an organization' })
  @ApiCreatedResponse({ type: OrganizationInvitationResponse })
  @Post()
  async invite(
    @CurrentOrganization() { id }: Organization,
    @CurrentActor() actor: Actor,
    @Body() body: InviteToOrganizationBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrganizationInvitationResponse> {
    const requested = { email: body.email, ...rolesIn(body) };
    const invitation = await this.invitations.invite(id, requested, requireUser(actor));
    response.location(`/v1/organizations/${id}/invitations/${invitation.id}`);
    return OrganizationInvitationResponse.of(invitation);
  }

  /** 404 `invitation_not_found`, also after it was accepted, declined or withdrawn. */
  @ApiOperation({ summary: 'Read an invitation to an organization' })
  @ApiOkResponse({ type: OrganizationInvitationResponse })
  @Get(':invitationId')
  async read(
    @CurrentOrganization() organization: Organization,
    @Param('invitationId') invitationId: string,
  ): Promise<OrganizationInvitationResponse> {
    return OrganizationInvitationResponse.of(
      await this.invitations.read(invitationRef(organization, invitationId)),
    );
  }

  /** Mails a new link, valid for seven days; the previous one expires. */
  @SessionOnly()
  @ApiOperation({ summary: 'Resend an invitation to an organization' })
  @ApiOkResponse({ type: OrganizationInvitationResponse })
  @HttpCode(200)
  @Post(':invitationId/resend')
  async resend(
    @CurrentOrganization() organization: Organization,
    @CurrentActor() actor: Actor,
    @Param('invitationId') invitationId: string,
  ): Promise<OrganizationInvitationResponse> {
    const ref = invitationRef(organization, invitationId);
    return OrganizationInvitationResponse.of(await this.invitations.resend(ref, requireUser(actor)));
  }

  @SessionOnly()
  @ApiOperation({ summary: 'Withdraw an invitation to an organization' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':invitationId')
  async withdraw(
    @CurrentOrganization() organization: Organization,
    @CurrentActor() actor: Actor,
    @Param('invitationId') invitationId: string,
  ): Promise<void> {
    await this.invitations.withdraw(invitationRef(organization, invitationId), requireUser(actor));
  }
}

function invitationRef(organization: Organization, invitationId: string): OrganizationInvitationRef {
  if (!isUuid(invitationId))
    throw new DomainError('invitation_not_found', 'Invitation not found in this organization.');
  return { organizationId: organization.id, id: invitationId.toLowerCase() };
}
