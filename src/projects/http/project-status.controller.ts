import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor, SignedIn } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import type { Actor } from '../../access/domain/actor.js';
import { rowsOf } from '../../http/page-query.js';
import { toPage } from '../../shared/page.js';
import { ProjectService } from '../project.service.js';
import { ProjectStatusReader } from '../project-status.reader.js';
import { ProjectDto } from './project.dto.js';
import { ProjectStatusPageDto, ProjectStatusQuery } from './project-status.dto.js';

/** The status of many projects at once, for people who run many sites. */
@ApiTags('Projects')
@Controller('v1/project-statuses')
export class ProjectStatusController {
  constructor(
    private readonly access: AccessService,
    private readonly projects: ProjectService,
    private readonly statuses: ProjectStatusReader,
  ) {}

  /** The caller's projects, newest first, each with what shows whether it works; of an API key its one project. */
  @SignedIn()
  @ApiOperation({ summary: 'List projects with their status' })
  @ApiOkResponse({ type: ProjectStatusPageDto })
  @Get()
  async list(
    @CurrentActor() actor: Actor,
    @Query() query: ProjectStatusQuery,
  ): Promise<ProjectStatusPageDto> {
    const memberships = await this.access.placesOf(actor, rowsOf(query));
    const roles = new Map(memberships.map(({ projectId, role }) => [projectId, role]));
    const now = new Date();
    const ids = memberships.slice(0, query.limit).map(({ projectId }) => projectId);
    const [projects, statusOf] = await Promise.all([
      this.projects.read([...roles.keys()]),
      this.statuses.read(ids, { now, timeZone: query.timeZone }),
    ]);
    return toPage(
      projects,
      query.limit,
      ({ id }) => id,
      (project) => {
        const role = roles.get(project.id) ?? 'viewer';
        const { id, name, domains, tier } = ProjectDto.of(project, { role, lastFailureReason: null }, now);
        return { id, name, domains, tier, role, ...statusOf(id) };
      },
    );
  }
}
