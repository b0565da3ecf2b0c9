import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentActor, SignedIn } from '../../access/access.decorators.js';
import { AccessService } from '../../access/access.service.js';
import type { Actor } from '../../access/domain/actor.js';
import { rowsOf } from '../../../platform/http/page-query.js';
import { toPage } from '../../../platform/export/page.js';
import { ProjectOverview } from '../application/project-overview.js';
import { ProjectService } from '../../projects/project.service.js';
import { ProjectResponse, splitWithheld } from './project.dto.js';
import { ProjectStatusPageResponse, ProjectStatusQuery } from './project-status.dto.js';

/** The status of many projects at once, for people who run many sites. */
@ApiTags('Projects')
@Controller('v1/project-statuses')
export class ProjectStatusController {
  constructor(
    private readonly access: AccessService,
    private readonly projects: ProjectService,
    private readonly overview: ProjectOverview,
  ) {}

  /** The caller's projects with their status, newest first; for an API key, its one project. */
  @SignedIn()
  @ApiOperation({ summary: 'List projects with their status' })
  @ApiOkResponse({ type: ProjectStatusPageResponse })
  @Get()
  async list(
    @CurrentActor() actor: Actor,
    @Query() query: ProjectStatusQuery,
  ): Promise<ProjectStatusPageResponse> {
    const places = toPage(
      await this.access.placesOf(actor, rowsOf(query)),
      query.limit,
      ({ projectId }) => projectId,
      (place) => place,
    );
    const projects = await this.projects.read(places.items.map(({ projectId }) => projectId));
    const { readable, withheld } = splitWithheld(places.items, projects);
    const now = new Date();
    const statusOf = await this.overview.readStatuses(
      readable.map(({ project }) => project.id),
      { now, timeZone: query.timeZone },
    );
    const items = readable.map(({ project, role }) => {
      const { id, name, domains, tier } = ProjectResponse.of(project, { role, lastFailureReason: null }, now);
      return { id, name, domains, tier, role, ...statusOf(id) };
    });
    return { items, withheld, nextCursor: places.nextCursor };
  }
}
