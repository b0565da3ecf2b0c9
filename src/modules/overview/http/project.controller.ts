import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, Headers, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import { ApiBodyExample, ApiRefusals, ApiSuccessHeaders } from '../../../platform/openapi/api-description.js';
import type { Project } from '../../projects/domain/project.js';
import { ProjectOverview } from '../application/project-overview.js';
import { OrganizationProjects } from '../../organizations/organization-projects.service.js';
import { ProjectService } from '../../projects/project.service.js';
import { entityTag, IfMatchHeader, requireMatch } from '../../../platform/http/entity-tag.js';
import { fieldErrors } from '../../../platform/errors/domain-error.js';
import { toPage } from '../../../platform/export/page.js';
import {
  CurrentActor,
  CurrentAuthor,
  CurrentProject,
  CurrentRole,
  ProjectRole,
  SignedIn,
  SessionOnly,
} from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import { type Actor, requireUser } from '../../access/domain/actor.js';
import type { Author } from '../../audit/domain/author.js';
import type { Role } from '../../access/domain/role.js';
import { PageQuery, rowsOf } from '../../../platform/http/page-query.js';
import {
  CreateProjectBody,
  MoveProjectBody,
  ProjectResponse,
  ProjectPageResponse,
  splitWithheld,
  UpdateProjectBody,
} from './project.dto.js';

/** Projects (design §5). */
@ApiTags('Projects')
@Controller('v1/projects')
export class ProjectController {
  constructor(
    private readonly access: AccessService,
    private readonly projects: ProjectService,
    private readonly overview: ProjectOverview,
    private readonly organizations: OrganizationProjects,
  ) {}

  /**
   * Creates a project owned by the caller, or by the organization in `organizationId`; 403
   * `session_required` for an API key, `role_required` if the caller is no admin of the organization,
   * 404 `organization_not_found`, 409 `project_limit_reached`.
   */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ name: 'Bakery', domains: ['bakery.example'] })
  @ApiSuccessHeaders('ETag')
  @ApiRefusals(404)
  @ApiConflictResponse({ description: '`project_limit_reached`' })
  @ApiOperation({ summary: 'Create a project' })
  @ApiCreatedResponse({ type: ProjectResponse })
  @Post()
  async create(
    @CurrentActor() actor: Actor,
    @Body() body: CreateProjectBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProjectResponse> {
    const { kind, userId: id, network } = requireUser(actor);
    const { organizationId, ...fields } = body;
    const project = await this.projects.create(
      { kind, id, network },
      { ...fields, domains: fields.domains ?? [] },
      organizationId?.toLowerCase() ?? null,
    );
    response.location(`/v1/projects/${project.id}`);
    return this.answer(response, project, 'owner');
  }

  /** The caller's projects, newest first; for an API key, its one project. */
  @SignedIn()
  @ApiOperation({ summary: 'List projects' })
  @ApiOkResponse({ type: ProjectPageResponse })
  @Get()
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery): Promise<ProjectPageResponse> {
    const places = toPage(
      await this.access.placesOf(actor, rowsOf(query)),
      query.limit,
      ({ projectId }) => projectId,
      (place) => place,
    );
    const ids = places.items.map(({ projectId }) => projectId);
    const [projects, reasons] = await Promise.all([
      this.projects.read(ids),
      this.overview.readLastFailureReasons(ids),
    ]);
    const { readable, withheld } = splitWithheld(places.items, projects);
    const now = new Date();
    const items = readable.map(({ project, role }) =>
      ProjectResponse.of(project, { role, lastFailureReason: reasons.get(project.id) ?? null }, now),
    );
    return { items, withheld, nextCursor: places.nextCursor };
  }

  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read a project' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: ProjectResponse })
  @Get(':projectId')
  read(
    @CurrentProject() project: Project,
    @CurrentRole() role: Role,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProjectResponse> {
    return this.answer(response, project, role);
  }

  /**
   * Changes name, domains or both; a list of domains replaces the previous one. 412
   * `version_conflict` if If-Match is given and they have changed since.
   */
  @ProjectRole('editor')
  @ApiBodyExample({ domains: ['bakery.example', 'shop.example'] })
  @ApiOperation({ summary: 'Change the name or domains of a project' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: ProjectResponse })
  @IfMatchHeader()
  @Patch(':projectId')
  async update(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @CurrentRole() role: Role,
    @Body() body: UpdateProjectBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProjectResponse> {
    const given = Object.entries(body).filter(([, value]) => value !== undefined);
    if (given.length === 0)
      throw fieldErrors([
        { field: 'name', message: 'Send a name, domains, controllerName, or controllerContact.' },
      ]);
    const changes = Object.fromEntries(given);
    const changed = await this.projects.update({ id: project.id, author }, changes, (stored) =>
      requireMatch(ifMatch, tagOf(stored)),
    );
    return this.answer(response, changed, role);
  }

  /**
   * Moves the project into an organization, or out of its own, which makes the caller an owner of
   * the project. The caller must be an admin of each organization involved. API keys of people who
   * lose their role are revoked. 403 `recent_sign_in_required` for a session that is more than an
   * hour old, without the password, and `role_required`; 401 `invalid_credentials`; 404
   * `organization_not_found`; 409 `project_limit_reached`.
   */
  @ProjectRole('owner')
  @SessionOnly()
  @ApiBodyExample({ organizationId: null })
  @ApiSuccessHeaders('ETag')
  @ApiConflictResponse({ description: '`project_limit_reached`' })
  @ApiOperation({ summary: 'Move a project into or out of an organization' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: ProjectResponse })
  @HttpCode(200)
  @Post(':projectId/move')
  async move(
    @CurrentProject() project: Project,
    @CurrentActor() actor: Actor,
    @CurrentRole() role: Role,
    @Body() { organizationId, password }: MoveProjectBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProjectResponse> {
    const target = { projectId: project.id, organizationId: organizationId?.toLowerCase() ?? null };
    const moved = await this.organizations.move(target, requireUser(actor), password);
    return this.answer(response, moved, role);
  }

  /** Deletes the project with its consent records, members, keys and queued messages. It can't be undone. */
  @ProjectRole('owner')
  @ApiOperation({ summary: 'Delete a project and its data' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':projectId')
  async remove(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<void> {
    await this.projects.remove(project.id, author);
  }

  /** The project as a response, with the entity tag of the fields that a PATCH can change. */
  private async answer(response: Response, project: Project, role: Role): Promise<ProjectResponse> {
    const reasons = await this.overview.readLastFailureReasons([project.id]);
    response.setHeader('ETag', tagOf(project));
    return ProjectResponse.of(
      project,
      { role, lastFailureReason: reasons.get(project.id) ?? null },
      new Date(),
    );
  }
}

function tagOf({ name, domains, controllerName, controllerContact }: Project): string {
  return entityTag({ name, domains, controllerName, controllerContact });
}
