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
import { ApiBodyExample, ApiSuccessHeaders } from '../../http/api-description.js';
import type { Project } from '../domain/project.js';
import { ProjectHooks } from '../project.hooks.js';
import { ProjectService } from '../project.service.js';
import { entityTag, IfMatchHeader, requireMatch } from '../../http/entity-tag.js';
import { fieldErrors } from '../../shared/domain-error.js';
import { toPage } from '../../shared/page.js';
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
import { PageQuery, rowsOf } from '../../http/page-query.js';
import { CreateProjectBody, ProjectDto, ProjectPageDto, UpdateProjectBody } from './project.dto.js';

/** Projects (design §5). */
@ApiTags('Projects')
@Controller('v1/projects')
export class ProjectController {
  constructor(
    private readonly access: AccessService,
    private readonly projects: ProjectService,
    private readonly hooks: ProjectHooks,
  ) {}

  /** Makes a project whose owner is the caller; 403 `session_required` for an API key, 409 `project_limit_reached`. */
  @SignedIn()
  @SessionOnly()
  @ApiBodyExample({ name: 'Bakery', domains: ['bakery.example'] })
  @ApiSuccessHeaders('ETag')
  @ApiConflictResponse({ description: '`project_limit_reached`' })
  @ApiOperation({ summary: 'Create a project' })
  @ApiCreatedResponse({ type: ProjectDto })
  @Post()
  async create(
    @CurrentActor() actor: Actor,
    @Body() body: CreateProjectBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProjectDto> {
    const { kind, userId: id, network } = requireUser(actor);
    const project = await this.projects.create(
      { kind, id, network },
      { ...body, domains: body.domains ?? [] },
    );
    response.location(`/v1/projects/${project.id}`);
    return this.answer(response, project, 'owner');
  }

  /** The caller's projects, newest first; of an API key its one project. */
  @SignedIn()
  @ApiOperation({ summary: 'List projects' })
  @ApiOkResponse({ type: ProjectPageDto })
  @Get()
  async list(@CurrentActor() actor: Actor, @Query() query: PageQuery): Promise<ProjectPageDto> {
    const places = await this.access.placesOf(actor, rowsOf(query));
    const roles = new Map(places.map(({ projectId, role }) => [projectId, role]));
    const ids = [...roles.keys()];
    const [projects, reasons] = await Promise.all([
      this.projects.read(ids),
      this.hooks.current.readLastFailureReasons(ids),
    ]);
    const now = new Date();
    return toPage(
      projects,
      query.limit,
      (project) => project.id,
      (project) => {
        // Every project in the list has a role.
        const role = roles.get(project.id) ?? 'viewer';
        return ProjectDto.of(project, { role, lastFailureReason: reasons.get(project.id) ?? null }, now);
      },
    );
  }

  @ProjectRole('viewer')
  @ApiOperation({ summary: 'Read a project' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: ProjectDto })
  @Get(':projectId')
  read(
    @CurrentProject() project: Project,
    @CurrentRole() role: Role,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProjectDto> {
    return this.answer(response, project, role);
  }

  /**
   * Changes name, domains or both; a list of domains replaces the one before. 412 `version_conflict` where If-Match
   * is given and they have changed since.
   */
  @ProjectRole('editor')
  @ApiBodyExample({ domains: ['bakery.example', 'shop.example'] })
  @ApiOperation({ summary: 'Change the name or domains of a project' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiOkResponse({ type: ProjectDto })
  @IfMatchHeader()
  @Patch(':projectId')
  async update(
    @CurrentProject() project: Project,
    @CurrentAuthor() author: Author,
    @CurrentRole() role: Role,
    @Body() body: UpdateProjectBody,
    @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProjectDto> {
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

  /** Deletes the project with its consent records, members, keys and waiting messages; there is no way back. */
  @ProjectRole('owner')
  @ApiOperation({ summary: 'Delete a project and its data' })
  @ApiParam({ name: 'projectId', format: 'uuid' })
  @ApiNoContentResponse()
  @HttpCode(204)
  @Delete(':projectId')
  async remove(@CurrentProject() project: Project, @CurrentAuthor() author: Author): Promise<void> {
    await this.projects.remove(project.id, author);
  }

  /** The project as a response, with the entity tag of what a PATCH can change. */
  private async answer(response: Response, project: Project, role: Role): Promise<ProjectDto> {
    const reasons = await this.hooks.current.readLastFailureReasons([project.id]);
    response.setHeader('ETag', tagOf(project));
    return ProjectDto.of(project, { role, lastFailureReason: reasons.get(project.id) ?? null }, new Date());
  }
}

function tagOf({ name, domains, controllerName, controllerContact }: Project): string {
  return entityTag({ name, domains, controllerName, controllerContact });
}
