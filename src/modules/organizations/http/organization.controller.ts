import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, Res } from '@nestjs/common';
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
import { toPage } from '../../../platform/export/page.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import { ApiBodyExample } from '../../../platform/openapi/api-description.js';
import {
  CurrentActor,
  CurrentOrganization,
  OrganizationAccess,
  SessionOnly,
  SignedIn,
} from '../../access/access.decorators.js';
import { type Actor, emailNotConfirmed, requireUser } from '../../access/domain/actor.js';
import { OrganizationMemberService } from '../application/organization-member.service.js';
import { OrganizationService, type OwnOrganization } from '../application/organization.service.js';
import { roleOnProjects } from '../domain/organization.js';
import { OrganizationProjects } from '../organization-projects.service.js';
import {
  OrganizationBody,
  OrganizationPageResponse,
  OrganizationProjectPageResponse,
  OrganizationResponse,
} from './organization.dto.js';

/** Organizations of people with several projects (docs/organizations.md). */
@ApiTags('Organizations')
@Controller('v1/organizations')
export class OrganizationController {
  constructor(
    private readonly organizations: OrganizationService,
    private readonly members: OrganizationMemberService,
    private readonly projects: OrganizationProjects,
  ) {}

  /** Creates an organization with the caller as its admin; 409 `organization_limit_reached`. */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ name: 'Agency' })
  @ApiConflictResponse({ description: '`organization_limit_reached`' })
  @ApiOperation({ summary: 'Create an organization' })
  @ApiCreatedResponse({ type: OrganizationResponse })
  @Post()
  async create(
    @CurrentActor() actor: Actor,
    @Body() { name }: OrganizationBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OrganizationResponse> {
    const organization = await this.organizations.create(requireUser(actor), name);
    response.location(`/v1/organizations/${organization.id}`);
    return organization;
  }

  /** The caller's organizations, newest first; none for an API key, which belongs to a project. */
  @SignedIn()
  @ApiOperation({ summary: 'List organizations' })
  @ApiOkResponse({ type: OrganizationPageResponse })
  @Get()
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery): Promise<OrganizationPageResponse> {
    if (actor.kind === 'api_key') return { items: [], nextCursor: null };
    if (!actor.emailConfirmed) throw emailNotConfirmed();
    const organizations = await this.organizations.list(actor.userId, rowsOf(query));
    return toPage(
      organizations,
      query.limit,
      ({ id }) => id,
      (organization) => organization,
    );
  }

  @OrganizationAccess('member')
  @ApiOperation({ summary: 'Read an organization' })
  @ApiParam({ name: 'organizationId', format: 'uuid' })
  @ApiOkResponse({ type: OrganizationResponse })
  @Get(':organizationId')
  read(@CurrentOrganization() organization: OwnOrganization): OrganizationResponse {
    return organization;
  }

  @OrganizationAccess('admin')
  @SessionOnly()
  @ApiBodyExample({ name: 'Agency Ltd' })
  @ApiOperation({ summary: 'Rename an organization' })
  @ApiParam({ name: 'organizationId', format: 'uuid' })
  @ApiOkResponse({ type: OrganizationResponse })
  @Patch(':organizationId')
  rename(
    @CurrentOrganization() organization: OwnOrganization,
    @CurrentActor() actor: Actor,
    @Body() { name }: OrganizationBody,
  ): Promise<OrganizationResponse> {
    return this.organizations.rename(organization, name, requireUser(actor));
  }

  /** Deletes its members and invitations, too. 409 `organization_not_empty` while it has projects. */
  @OrganizationAccess('admin')
  @SessionOnly()
  @ApiConflictResponse({ description: '`organization_not_empty`' })
  @ApiOperation({ summary: 'Delete an organization' })
  @ApiParam({ name: 'organizationId', format: 'uuid' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':organizationId')
  async remove(@CurrentOrganization() { id }: OwnOrganization, @CurrentActor() actor: Actor): Promise<void> {
    await this.organizations.remove(id, requireUser(actor));
  }

  /**
   * The projects that the caller sees by their role in the organization, newest first: all of them,
   * or none for a member without a role on projects.
   */
  @OrganizationAccess('member')
  @ApiOperation({ summary: 'List the projects of an organization' })
  @ApiParam({ name: 'organizationId', format: 'uuid' })
  @ApiOkResponse({ type: OrganizationProjectPageResponse })
  @Get(':organizationId/projects')
  async listProjects(
    @CurrentOrganization() organization: OwnOrganization,
    @Query() query: PageQuery,
  ): Promise<OrganizationProjectPageResponse> {
    if (organization.role !== 'billing' && roleOnProjects(organization) === null)
      return { items: [], nextCursor: null };
    const now = new Date();
    const projects = await this.projects.list(organization.id, rowsOf(query));
    return toPage(
      projects,
      query.limit,
      ({ id }) => id,
      ({ id, name, domains, tier, tierValidUntil, createdAt }) => ({
        id,
        name,
        domains,
        // An expired tier that the sweeper has not updated yet.
        tier: tierValidUntil && tierValidUntil <= now ? 'lite' : tier,
        createdAt,
      }),
    );
  }

  /**
   * Ends the caller's membership, and revokes the keys that they created on the organization's
   * projects. 409 `last_admin`.
   */
  @OrganizationAccess('member')
  @SessionOnly()
  @ApiConflictResponse({ description: '`last_admin`' })
  @ApiOperation({ summary: 'Leave an organization' })
  @ApiParam({ name: 'organizationId', format: 'uuid' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Post(':organizationId/leave')
  async leave(@CurrentOrganization() { id }: OwnOrganization, @CurrentActor() actor: Actor): Promise<void> {
    await this.members.leave(id, requireUser(actor));
  }
}
